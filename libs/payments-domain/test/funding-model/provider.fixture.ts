import type { ChargeProviderState, PayoutProviderState, ProviderAnswer } from '../../src/provider-answers.js';
import { must } from '../transfer-model/audit.fixture.js';
import type { Chance } from '../transfer-model/chance.fixture.js';
import type { Rules } from './rules.fixture.js';
import type { Scenario } from './scenario.fixture.js';

export type Kind = 'charge' | 'repayment' | 'payout';
export type Change = { readonly kind: Kind | 'reversal'; readonly key: string };

interface Base {
  readonly key: string;
  readonly amountCents: number;
}
export interface Charge extends Base {
  state: ChargeProviderState;
  wasDeclined: boolean;
}
export interface Payout extends Base {
  state: PayoutProviderState;
}
export interface Repayment extends Payout {
  readonly chargeKey: string;
}
export interface Reversal extends Base {
  readonly chargeKey: string;
  state: 'open' | 'won' | 'lost';
}

export interface Message {
  readonly verb: 'put' | 'cancel';
  readonly kind: Kind;
  readonly key: string;
  readonly chargeKey: string;
  readonly amountCents: number;
  readonly beginBeforeUs: number;
  answer: ProviderAnswer<string>;
}

interface Surroundings {
  readonly scenario: Scenario;
  readonly rules: Rules;
  readonly chance: Chance;
  readonly nowUs: () => number;
  /** The cents in `payouts:<id>`. */
  readonly heldCents: (withdrawalId: string) => number;
}

/** A provider with books of its own: permanent keys, `begin_before`, a list of changes. */
export class ModelProvider {
  readonly charges = new Map<string, Charge>();
  readonly repayments = new Map<string, Repayment>();
  readonly payouts = new Map<string, Payout>();
  readonly reversals = new Map<string, Reversal>();
  readonly changes: Change[] = [];
  readonly messages: Message[] = [];
  isReliable = false;

  constructor(private readonly world: Surroundings) {}

  /** Its own time. */
  nowUs(): number {
    return this.world.nowUs() + this.world.scenario.skewUs;
  }

  /** Reads an object as it is now. */
  get(kind: Kind, key: string): ProviderAnswer<string> {
    const book: ReadonlyMap<string, Charge | Payout> = this.#book(kind);
    const object = book.get(key);
    if (object === undefined) return 'missing';
    return { state: object.state, id: key, amountCents: object.amountCents, currency: 'USD', code: null };
  }

  /** Delivers one message, in any order; now and then it is lost, comes twice, or its answer is lost. */
  deliverOne(): void {
    const { chance, scenario } = this.world;
    const index = chance.below(this.messages.length);
    const message = this.messages[index];
    if (message === undefined) return;
    if (this.isReliable || !chance.hits(0.15)) this.messages.splice(index, 1);
    if (!this.isReliable && chance.hits(scenario.losses)) return;
    this.#receive(message);
    if (!chance.hits(2 * scenario.losses)) message.answer = this.get(message.kind, message.key);
  }

  /** Something happens by itself: a message arrives, an object gets its answer, a reversal is opened. */
  act(): void {
    const { chance, scenario } = this.world;
    if (this.messages.length > 0 && chance.hits(0.5)) {
      this.deliverOne();
      return;
    }
    const charge = this.#any(this.charges);
    const repayment = this.#any(this.repayments);
    const payout = this.#any(this.payouts);
    const reversal = this.#any(this.reversals);
    const kind = chance.pick(['charge', 'charge', 'repayment', 'payout', 'close', 'reverse']);
    if (kind === 'charge' && charge !== undefined) this.#answer(charge);
    if (kind === 'repayment' && repayment !== undefined) this.#moves(kind, repayment, scenario.refuses > 0);
    if (kind === 'payout' && payout !== undefined) this.#moves(kind, payout, true);
    if (kind === 'close' && reversal !== undefined) this.#close(reversal, chance.hits(0.5));
    if (kind === 'reverse' && charge !== undefined) this.#reverse(charge);
  }

  /** Everything that waits gets its answer. */
  answerAll(): void {
    const { chance, scenario } = this.world;
    while (this.messages.length > 0) this.deliverOne();
    for (const one of this.charges.values()) {
      if (one.state === 'pending') this.#decide(one, chance.pick(['approved', 'declined']));
    }
    for (const one of this.repayments.values()) {
      if (one.state === 'pending') this.#moves('repayment', one, scenario.refuses > 0);
    }
    for (const one of this.payouts.values()) if (one.state === 'pending') this.#moves('payout', one, true);
    for (const one of this.reversals.values()) this.#close(one, true);
  }

  #answer(charge: Charge): void {
    const { chance, scenario } = this.world;
    if (charge.state === 'pending') this.#decide(charge, chance.hits(scenario.declines) ? 'declined' : 'approved');
    else if (charge.state === 'declined' && chance.hits(scenario.contradicts)) this.#decide(charge, 'approved');
  }

  /** Gives a charge its answer. */
  #decide(charge: Charge, state: ChargeProviderState): void {
    charge.state = state;
    charge.wasDeclined ||= state === 'declined' || state === 'cancelled';
    this.changes.push({ kind: 'charge', key: charge.key });
  }

  /** Moves a repayment or payout on. */
  #advance(kind: 'repayment' | 'payout', object: Payout, state: PayoutProviderState): void {
    object.state = state;
    this.changes.push({ kind, key: object.key });
  }

  #close(reversal: Reversal, hasDecided: boolean): void {
    if (reversal.state !== 'open' || !hasDecided) return;
    reversal.state = this.world.chance.pick(['won', 'lost']);
    this.changes.push({ kind: 'reversal', key: reversal.key });
  }

  /** Cents of a charge that reversals hold or took. */
  reversedCents(chargeKey: string): number {
    const taken = [...this.reversals.values()].filter((one) => one.chargeKey === chargeKey && one.state !== 'won');
    return taken.reduce((sum, { amountCents }) => sum + amountCents, 0);
  }

  /** Cents of a charge that went back to the source. */
  repaidCents(chargeKey: string): number {
    const repaid = [...this.repayments.values()].filter((one) => one.chargeKey === chargeKey && isOut(one));
    return repaid.reduce((sum, { amountCents }) => sum + amountCents, 0);
  }

  #book(kind: Kind): ReadonlyMap<string, Charge | Payout> {
    return { charge: this.charges, repayment: this.repayments, payout: this.payouts }[kind];
  }

  #any<Item>(book: ReadonlyMap<string, Item>): Item | undefined {
    return [...book.values()][this.world.chance.below(book.size)];
  }

  #moves(kind: 'repayment' | 'payout', object: Payout, mayFail: boolean): void {
    const { chance, scenario } = this.world;
    if (object.state === 'pending') this.#advance(kind, object, mayFail && chance.hits(0.33) ? 'failed' : 'paid');
    else if (object.state === 'paid' && chance.hits(scenario.returns)) this.#advance(kind, object, 'returned');
  }

  #reverse({ key, state, amountCents }: Charge): void {
    if (state !== 'approved' || !this.world.chance.hits(this.world.scenario.reverses)) return;
    const left = amountCents - this.reversedCents(key);
    const cents = this.world.chance.pick([left, Math.ceil(left / 2)]);
    if (cents <= 0 || this.reversals.size >= 3) return;
    const reversal: Reversal = {
      key: `v${this.reversals.size + 1}`,
      chargeKey: key,
      amountCents: cents,
      state: 'open',
    };
    this.reversals.set(reversal.key, reversal);
    this.changes.push({ kind: 'reversal', key: reversal.key });
  }

  #receive(message: Message): void {
    const { chance, scenario } = this.world;
    const { verb, kind, key, amountCents, beginBeforeUs } = message;
    if (verb === 'cancel') {
      this.#cancel(key, amountCents);
      return;
    }
    if (this.#book(kind).has(key) || this.nowUs() >= beginBeforeUs) return;
    switch (kind) {
      case 'charge': {
        const charge: Charge = { key, amountCents, state: 'pending', wasDeclined: false };
        this.charges.set(key, charge);
        this.#decide(charge, chance.hits(scenario.declines) ? 'declined' : chance.pick(['approved', 'pending']));
        return;
      }
      case 'payout': {
        must(
          this.world.heldCents(key) === amountCents,
          'a payout begins although payouts:<id> does not hold its amount',
        );
        const payout: Payout = { key, amountCents, state: 'pending' };
        this.payouts.set(key, payout);
        this.#advance('payout', payout, chance.pick(['pending', 'pending', 'paid', 'failed']));
        return;
      }
      case 'repayment':
        this.#repay(message);
    }
  }

  /** A cancel of an unknown key is stored, so that a later PUT returns it; one that is in progress may be too late. */
  #cancel(key: string, amountCents: number): void {
    const known = this.charges.get(key);
    if (known === undefined) {
      const charge: Charge = { key, amountCents, state: 'pending', wasDeclined: false };
      this.charges.set(key, charge);
      this.#decide(charge, 'cancelled');
    } else if (known.state === 'pending' && this.world.chance.hits(0.7)) this.#decide(known, 'cancelled');
  }

  #repay({ key, chargeKey, amountCents }: Message): void {
    const { chance, scenario, rules } = this.world;
    const isReversed = this.reversedCents(chargeKey) > 0;
    const exceeds = this.repaidCents(chargeKey) + amountCents > (this.charges.get(chargeKey)?.amountCents ?? 0);
    must(!exceeds || isReversed, 'more is repaid than was charged');
    const isRefused = (isReversed && rules.providerRefusesReversed) || exceeds || chance.hits(scenario.refuses);
    must(isRefused || !isReversed, 'a charge with an open or lost reversal is repaid');
    const repayment: Repayment = { key, chargeKey, amountCents, state: 'pending' };
    this.repayments.set(key, repayment);
    this.#advance('repayment', repayment, isRefused ? 'failed' : chance.pick(['pending', 'paid']));
  }
}

/** Whether the provider has sent the money or is about to. */
export function isOut({ state }: Payout): boolean {
  return state === 'pending' || state === 'paid';
}
