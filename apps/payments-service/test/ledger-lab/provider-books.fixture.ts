import type { ChargeProviderState, PayoutProviderState } from '@settle/payments-domain';
import type { ProviderChange, ProviderInfo, ProviderSource, SourceRequest } from '@settle/provider-api';
import type { ReadableProvider } from '../../src/funding/change-attempts.js';
import type { ChangesPage } from '../../src/provider/changes-page.js';
import type { ProviderCallAnswer } from '../../src/provider/provider-client.js';
import type { SourceProvider } from '../../src/funding/source-changes.js';
import type { FundingProvider } from '../../src/transfer/provider-calls.js';

type Charge = Parameters<FundingProvider['charge']>[0];
type Repayment = Parameters<FundingProvider['repay']>[0];

interface Entry<State extends string> {
  state: State;
  amountCents: number;
  readonly chargeKey: string;
  version: number;
}

const NEVER = '2100-01-01T00:00:00.000Z';
const LONG_AGO = '2020-01-01T00:00:00.000Z';
type ReversalState = 'open' | 'won' | 'lost';
type Kind = Exclude<ProviderChange['kind'], 'source'>;

const CHANGES_PER_PAGE = 3;
const TIME = '2027-01-15T08:00:00Z';

const OPEN: readonly string[] = ['pending', 'action_required'];

/**
 * A provider with books of its own: each key has one object for ever, and money has moved once it says so. A spec decides
 * what happens to the next ones, and whether answers arrive.
 */
export class ProviderBooks implements FundingProvider, ReadableProvider, SourceProvider {
  readonly sources = new Map<string, ProviderSource>();
  readonly charges = new Map<string, Entry<ChargeProviderState>>();
  readonly repayments = new Map<string, Entry<PayoutProviderState>>();
  readonly payouts = new Map<string, Entry<PayoutProviderState>>();
  readonly reversals = new Map<string, Entry<ReversalState>>();
  /** The list of changes, the oldest first. */
  readonly changes: ProviderChange[] = [];
  /** Pages of the list of changes that were read. */
  pagesRead = 0;
  /** The requests that it received, in order: method, kind and last part of the key. */
  readonly asked: string[] = [];
  nextCharge: ChargeProviderState = 'approved';
  nextRepayment: PayoutProviderState = 'paid';
  nextPayout: PayoutProviderState = 'paid';
  /** Requests arrive, answers do not. */
  losesAnswers = false;
  /** Requests do not arrive either. */
  isAway = false;
  /** A cancellation comes too late. */
  ignoresCancels = false;
  /** Page on which the user must confirm the next charges. */
  page: string | null = null;
  /** Amount that answers name, if another than was asked for. */
  saidCents: number | null = null;
  #held: Promise<void> = Promise.resolve();

  /** @param nowUs the provider's clock */
  constructor(private readonly nowUs: () => number) {}

  /** From now on answers come only once the returned function is called. */
  hold(): () => void {
    let release = () => {};
    this.#held = new Promise((resolve) => (release = resolve));
    return () => release();
  }

  /** Decides a charge that is pending. */
  decide(key: string, state: ChargeProviderState): void {
    const charge = this.charges.get(key);
    if (charge === undefined || !OPEN.includes(charge.state)) throw new Error(`The charge ${key} is not pending`);
    this.#move('charge', key, charge, state);
  }

  /** Moves an object to any state, as a faulty provider may; `cents` changes its amount too. */
  set(kind: Kind, key: string, state: string, cents?: number): void {
    const entry = this.#of(kind).get(key);
    if (entry === undefined) throw new Error(`There is no ${kind} ${key}`);
    if (cents !== undefined) entry.amountCents = cents;
    this.#move(kind, key, entry, state);
  }

  /** Adds an object that Settle did not ask for, such as a reversal. */
  add(kind: Kind, key: string, entry: { state: string; amountCents: number; chargeKey?: string }): void {
    this.#of(kind).set(key, { chargeKey: key, ...entry, version: 1 });
    this.changes.push({ kind, key, version: 1, changed_at: TIME });
  }

  async read(kind: ProviderChange['kind'], key: string): Promise<never> {
    await this.#held;
    this.asked.push(`read ${kind}`);
    const entry = kind === 'source' ? undefined : this.#of(kind).get(key);
    const object = entry === undefined ? 'missing' : this.#objectOf(kind, key, entry);
    return (this.isAway || this.losesAnswers ? 'unknown' : object) as never;
  }

  async readProvider(): Promise<ProviderInfo | 'unknown'> {
    return Promise.resolve(this.isAway ? 'unknown' : { name: 'books', live: false });
  }

  changesAfter(cursor: string | null): Promise<ChangesPage | 'unknown'> {
    if (this.isAway) return Promise.resolve('unknown');
    this.pagesRead += 1;
    const begin = Number(cursor ?? 0);
    const changes = this.changes.slice(begin, begin + CHANGES_PER_PAGE);
    const isEnd = changes.length === 0;
    return Promise.resolve({ changes, unreadable: 0, cursor: String(begin + changes.length), isEnd });
  }

  async beginSource({ key }: SourceRequest): Promise<ProviderSource | 'unknown'> {
    if (this.isAway) return 'unknown';
    const begun = this.sources.get(key) ?? newSource(key);
    this.sources.set(key, begun);
    return begun;
  }

  async readSource(key: string): Promise<ProviderSource | 'missing' | 'unknown'> {
    return this.isAway ? 'unknown' : (this.sources.get(key) ?? 'missing');
  }

  async endSource(key: string): Promise<ProviderSource | 'missing' | 'unknown'> {
    if (this.sources.has(key) && !this.isAway) this.changeSource(key, { state: 'ended' });
    return this.readSource(key);
  }

  /** The provider learns something about a source. */
  changeSource(key: string, facts: Partial<ProviderSource>): void {
    const before = this.sources.get(key) ?? newSource(key);
    this.sources.set(key, { ...before, next_action: null, ...facts, version: before.version + 1 });
  }

  async charge(call: Charge): Promise<ProviderCallAnswer<ChargeProviderState>> {
    const { key, amountCents, request } = call;
    this.#note(call, 'charge');
    if (this.isAway) return this.#lost();
    if (request.cancels) this.#cancel(call);
    const isNew = request.method === 'put' && !this.charges.has(key) && this.nowUs() < call.beginBeforeUs;
    if (isNew) this.add('charge', key, { state: this.nextCharge, amountCents });
    return this.#answer(this.charges.get(key), key);
  }

  async repay(call: Repayment): Promise<ProviderCallAnswer<PayoutProviderState>> {
    const { key, amountCents, chargeKey, request } = call;
    this.#note(call, 'repay');
    if (this.isAway) return this.#lost();
    const isNew = request.method === 'put' && !this.repayments.has(key) && this.nowUs() < call.beginBeforeUs;
    if (isNew) {
      const isCovered = this.charges.get(chargeKey)?.state === 'approved' && this.#repaidCents(chargeKey) === 0;
      this.add('repayment', key, { state: isCovered ? this.nextRepayment : 'failed', amountCents, chargeKey });
    }
    return this.#answer(this.repayments.get(key), key);
  }

  async payout(call: Charge): Promise<ProviderCallAnswer<PayoutProviderState>> {
    const { key, amountCents, request } = call;
    this.#note(call, 'payout');
    if (this.isAway) return this.#lost();
    const isNew = request.method === 'put' && !this.payouts.has(key) && this.nowUs() < call.beginBeforeUs;
    if (isNew) this.add('payout', key, { state: this.nextPayout, amountCents });
    return this.#answer(this.payouts.get(key), key);
  }

  /** Cents that the provider has paid out. */
  get paidOutCents(): number {
    const paid = [...this.payouts.values()].filter(({ state }) => state === 'paid');
    return paid.reduce((sum, { amountCents }) => sum + amountCents, 0);
  }

  /** Cents that the provider has taken from sources and not given back. */
  get heldCents(): number {
    const approved = [...this.charges].filter(([, { state }]) => state === 'approved');
    return approved.reduce((sum, [key, { amountCents }]) => sum + amountCents - this.#repaidCents(key), 0);
  }

  #repaidCents(chargeKey: string): number {
    const given = [...this.repayments.values()].filter(
      ({ state, chargeKey: of }) => of === chargeKey && (state === 'paid' || state === 'pending'),
    );
    return given.reduce((sum, { amountCents }) => sum + amountCents, 0);
  }

  #cancel({ key, amountCents }: Charge): void {
    const charge = this.charges.get(key);
    if (charge === undefined) this.add('charge', key, { state: 'cancelled', amountCents });
    else if (OPEN.includes(charge.state) && !this.ignoresCancels) this.#move('charge', key, charge, 'cancelled');
  }

  #of(kind: Kind): Map<string, Entry<string>> {
    const all = { charge: this.charges, repayment: this.repayments, payout: this.payouts, reversal: this.reversals };
    return all[kind];
  }

  #move(kind: Kind, key: string, entry: Entry<string>, state: string): void {
    entry.state = state;
    entry.version += 1;
    this.changes.push({ kind, key, version: entry.version, changed_at: TIME });
  }

  #objectOf(kind: string, key: string, { state, amountCents, chargeKey, version }: Entry<string>): object {
    const id = kind === 'reversal' ? key : `at-provider-${key}`;
    const money = { amount: this.saidCents ?? amountCents, currency: 'USD', code: null, next_action: null };
    return { kind, key, id, state, ...money, version, charge_key: chargeKey, created_at: TIME, updated_at: TIME };
  }

  #note({ key, request }: Charge | Repayment, kind: string): void {
    const name = key.split(':').slice(2).join(':');
    this.asked.push(`${request.cancels ? 'cancel+' : ''}${request.method} ${kind} ${name}`);
  }

  async #lost(): Promise<'unknown'> {
    await this.#held;
    return 'unknown';
  }

  async #answer<State extends string>(
    entry: Entry<State> | undefined,
    key: string,
  ): Promise<ProviderCallAnswer<State>> {
    await this.#held;
    if (this.losesAnswers) return 'unknown';
    if (entry === undefined) return 'missing';
    const { state, amountCents, version } = entry;
    const money = { amountCents: this.saidCents ?? amountCents, currency: 'USD', code: null };
    return { state, id: `at-provider-${key}`, ...money, version, nextAction: this.#pageOf(state) };
  }

  #pageOf(state: string): ProviderSource['next_action'] {
    return this.page === null || state !== 'action_required' ? null : { url: this.page, expires_at: NEVER };
  }
}

/** A source whose number the user has not entered. */
function newSource(key: string): ProviderSource {
  const page = { url: `http://127.0.0.1/sources/${key}`, expires_at: NEVER };
  return {
    ...{ key, kind: 'source', state: 'verifying', next_action: page },
    ...{ can_charge: false, can_payout: false, owner_match: false, fingerprint: null, brand: null, last4: null },
    ...{ id: `at-provider-${key}`, version: 1, created_at: LONG_AGO, updated_at: LONG_AGO, live: false },
  };
}
