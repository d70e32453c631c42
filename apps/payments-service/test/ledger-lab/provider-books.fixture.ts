import type { ChargeProviderState, PayoutProviderState } from '@settle/payments-domain';
import type { ProviderCallAnswer } from '../../src/provider/provider-client.js';
import type { ProviderSource, SourceRequest } from '@settle/provider-api';
import type { SourceProvider } from '../../src/funding/source-changes.js';
import type { FundingProvider } from '../../src/transfer/provider-calls.js';

type Charge = Parameters<FundingProvider['charge']>[0];
type Repayment = Parameters<FundingProvider['repay']>[0];

interface Entry<State extends string> {
  state: State;
  readonly amountCents: number;
  readonly chargeKey: string;
}

const NEVER = '2100-01-01T00:00:00.000Z';
const LONG_AGO = '2020-01-01T00:00:00.000Z';
const OPEN: readonly string[] = ['pending', 'action_required'];

/**
 * A provider with books of its own: each key has one object for ever, and money has moved once it says so. A spec decides
 * what happens to the next ones, and whether answers arrive.
 */
export class ProviderBooks implements FundingProvider, SourceProvider {
  readonly sources = new Map<string, ProviderSource>();
  readonly charges = new Map<string, Entry<ChargeProviderState>>();
  readonly repayments = new Map<string, Entry<PayoutProviderState>>();
  readonly payouts = new Map<string, Entry<PayoutProviderState>>();
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
    charge.state = state;
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
    if (isNew) this.charges.set(key, { state: this.nextCharge, amountCents, chargeKey: key });
    return this.#answer(this.charges.get(key), key);
  }

  async repay(call: Repayment): Promise<ProviderCallAnswer<PayoutProviderState>> {
    const { key, amountCents, chargeKey, request } = call;
    this.#note(call, 'repay');
    if (this.isAway) return this.#lost();
    const isNew = request.method === 'put' && !this.repayments.has(key) && this.nowUs() < call.beginBeforeUs;
    if (isNew) {
      const isCovered = this.charges.get(chargeKey)?.state === 'approved' && this.#repaidCents(chargeKey) === 0;
      this.repayments.set(key, { state: isCovered ? this.nextRepayment : 'failed', amountCents, chargeKey });
    }
    return this.#answer(this.repayments.get(key), key);
  }

  async payout(call: Charge): Promise<ProviderCallAnswer<PayoutProviderState>> {
    const { key, amountCents, request } = call;
    this.#note(call, 'payout');
    if (this.isAway) return this.#lost();
    const isNew = request.method === 'put' && !this.payouts.has(key) && this.nowUs() < call.beginBeforeUs;
    if (isNew) this.payouts.set(key, { state: this.nextPayout, amountCents, chargeKey: key });
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
    if (charge === undefined) this.charges.set(key, { state: 'cancelled', amountCents, chargeKey: key });
    else if (OPEN.includes(charge.state) && !this.ignoresCancels) charge.state = 'cancelled';
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
    const { state, amountCents } = entry;
    const money = { amountCents: this.saidCents ?? amountCents, currency: 'USD', code: null };
    return { state, id: `at-provider-${key}`, ...money, version: 1, nextAction: this.#pageOf(state) };
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
