import type { ChargeProviderState, PayoutProviderState } from '@settle/payments-domain';
import type { ProviderCallAnswer } from '../../src/provider/provider-client.js';
import type { FundingProvider } from '../../src/transfer/provider-calls.js';

type Charge = Parameters<FundingProvider['charge']>[0];
type Repayment = Parameters<FundingProvider['repay']>[0];

interface Entry<State extends string> {
  state: State;
  readonly amountCents: number;
  readonly chargeKey: string;
}

const OPEN: readonly string[] = ['pending', 'action_required'];

/**
 * A provider with books of its own: each key has one object for ever, and money has moved once it says so. A spec decides
 * what happens to the next ones, and whether answers arrive.
 */
export class ProviderBooks implements FundingProvider {
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
    return { state, id: `at-provider-${key}`, ...money, version: 1, nextAction: null };
  }
}
