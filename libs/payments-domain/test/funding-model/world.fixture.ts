import { chanceFrom, type Chance } from '../transfer-model/chance.fixture.js';
import { NO_WALLET, evolveWallet, type WalletState } from '../../src/wallet.js';
import type { WalletEvent } from '../../src/wallet-events.js';
import { FundingAudit, type Events, type StreamKind } from './audit.fixture.js';
import { ModelProvider } from './provider.fixture.js';
import type { Rules } from './rules.fixture.js';
import { USERS, drawScenario, type Scenario } from './scenario.fixture.js';

export interface Append<Kind extends StreamKind = StreamKind> {
  readonly kind: Kind;
  readonly key: string;
  /** Number of events before it. */
  readonly revision: number;
  readonly events: readonly Events[Kind][];
}

/** Some instances on one log, with a provider outside: everything that happens goes through the log and is audited. */
export class World {
  readonly chance: Chance;
  readonly scenario: Scenario;
  readonly provider: ModelProvider;
  readonly audit: FundingAudit;
  readonly log: string[] = [];
  readonly #streams = new Map<string, Events[StreamKind][]>();
  nowUs = 0;
  cursor = 0;
  /** Everything is answered and finished: no more crashes, stale reads or losses. */
  isDraining = false;

  constructor(
    seed: number,
    readonly rules: Rules,
    focus: Partial<Scenario> = {},
  ) {
    this.chance = chanceFrom(seed);
    this.scenario = drawScenario(this.chance, focus);
    const { chance, scenario } = this;
    this.audit = new FundingAudit((key) => this.#mayRefuse(key));
    const heldCents = (id: string) => this.audit.account(`payouts:${id}`);
    this.provider = new ModelProvider({ scenario, rules, chance, nowUs: () => this.nowUs, heldCents });
    for (const id of USERS) {
      const amountCents = scenario.balances[id];
      const events =
        amountCents > 0
          ? rules.decideWallet({ type: 'deposit', amountCents, sourceId: 'bank', atUs: 0 }, NO_WALLET)
          : [{ type: 'WalletOpened', data: { paymentId: null, balanceCents: 0, atUs: 0 } } as const];
      this.append({ kind: 'wallet', key: id, revision: 0, events });
    }
  }

  /** Returns a stream as an instance reads it, now and then an older state. */
  read<Kind extends StreamKind>(kind: Kind, key: string): Events[Kind][] {
    const stream = this.current(kind, key);
    const isStale = !this.isDraining && this.chance.hits(this.scenario.staleness);
    const length = isStale ? stream.length - 1 - this.chance.below(3) : stream.length;
    return stream.slice(0, Math.max(length, kind === 'wallet' ? 1 : 0));
  }

  /** Returns a stream at its end. */
  current<Kind extends StreamKind>(kind: Kind, key: string): Events[Kind][] {
    return (this.#streams.get(`${kind}-${key}`) ?? []).slice() as Events[Kind][];
  }

  /** Returns whether the events were stored: not if others came first. */
  append<Kind extends StreamKind>({ kind, key, revision, events }: Append<Kind>): boolean {
    const name = `${kind}-${key}`;
    const stream = this.#streams.get(name) ?? [];
    const isExpected = stream.length === revision || (kind === 'wallet' && !this.rules.expectsRevisions);
    if (!isExpected) return false;
    this.#streams.set(name, [...stream, ...events]);
    for (const event of events)
      this.log.push(`${this.nowUs / 1e6}s ${name} ${event.type} ${JSON.stringify(event.data)}`);
    this.#audit({ kind, key, events } as unknown as Append);
    return true;
  }

  /** Stores a unit whole, or append by append with a possible crash between two of them. */
  *appendUnit(unit: readonly Append[]): Generator<void, boolean> {
    if (this.scenario.storesWhole) {
      const lengths = new Map<string, number>();
      for (const { kind, key, revision, events } of unit) {
        const name = `${kind}-${key}`;
        if ((lengths.get(name) ?? this.current(kind, key).length) !== revision) return false;
        lengths.set(name, revision + events.length);
      }
    }
    for (const append of unit) {
      if (!this.append(append)) return false;
      if (!this.scenario.storesWhole) yield;
    }
    return true;
  }

  /** A measure that stands still when nothing happens any more. */
  size(): string {
    const { changes, messages } = this.provider;
    return [this.log.length, changes.length, messages.length, this.cursor].join(' ');
  }

  #audit(append: Append): void {
    const { kind, key, events } = append;
    if (kind === 'wallet') this.audit.readWallet(key, events as WalletEvent[]);
    if (kind === 'payment') for (const event of events) this.audit.readPayment(key, event as Events['payment']);
    if (kind === 'deposit') for (const event of events) this.audit.readDeposit(key, event as Events['deposit']);
    if (kind === 'withdrawal')
      for (const event of events) this.audit.readWithdrawal(key, event as Events['withdrawal']);
  }

  #mayRefuse(chargeKey: string): boolean {
    const charge = this.provider.charges.get(chargeKey);
    if (charge !== undefined) return charge.wasDeclined;
    const isUnderWay = (one: { key: string; verb: string; beginBeforeUs: number }) =>
      one.key === chargeKey && one.verb === 'put' && one.beginBeforeUs > this.provider.nowUs();
    return !this.provider.messages.some(isUnderWay);
  }
}

export function walletOf(events: readonly WalletEvent[]): WalletState {
  return events.slice(-1).reduce(evolveWallet, NO_WALLET);
}
