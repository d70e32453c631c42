import type { StepContext } from '../../src/next-step.js';
import { modeOf } from '../../src/payment-decisions.js';
import type { PaymentCreated } from '../../src/payment-events.js';
import { NO_WALLET, decideWallet, type WalletCommand } from '../../src/wallet.js';
import { Audit } from './audit.fixture.js';
import { chanceFrom, type Chance } from './chance.fixture.js';
import { PEOPLE, type Person, type Rules, type Scenario } from './scenario.fixture.js';
import { ModelSource } from './source.fixture.js';
import { ModelStore } from './store.fixture.js';

/** One payment, three people, some instances: everything that happens goes through the store and is audited. */
export interface World {
  readonly scenario: Scenario;
  readonly rules: Rules;
  readonly chance: Chance;
  readonly store: ModelStore;
  readonly source: ModelSource;
  readonly audit: Audit;
  readonly created: PaymentCreated;
  /** As the scenario has it, until every owner is asked. */
  othersRate: number;
  /** The payers' sources and the time, as they are when asked. */
  context(): StepContext;
}

/** A world before anything has happened in it. */
export function worldOf(scenario: Scenario, rules: Rules): World {
  const chance = chanceFrom(scenario.seed);
  const { adapter, sources } = scenario;
  const audit = new Audit({ isCreditLast: adapter !== 'subset' });
  const store = new ModelStore({ adapter, chance, eventId: rules.eventId, onStored: (entry) => audit.read(entry) });
  let atUs = 1_000;
  // A source that varies is at times not there at all.
  const sourceIdOf = (userId: string) => {
    const source = sources[userId as Person];
    return source === 'none' || (source === 'varies' && chance.hits(0.3)) ? null : `source-of-${userId}`;
  };
  return {
    ...{ scenario, rules, chance, store, audit, created: createdOf(scenario), othersRate: scenario.othersRate },
    source: new ModelSource(scenario, chance),
    context: () => ({ sourceIdOf, atUs: (atUs += 1) }),
  };
}

function createdOf({ action, targetId, isTrusted, amountCents, feeCents }: Scenario): PaymentCreated {
  const target =
    targetId === null
      ? ({ type: 'email', userId: null, address: 'someone@example.com' } as const)
      : ({ type: 'user', userId: targetId, address: null } as const);
  const mode = modeOf(action, targetId, isTrusted);
  const shown = { note: 'for lunch', audience: 'private', medium: 'api', environment: 'live' } as const;
  const ids = { actorId: 'ann', appId: 'app', commandId: 'command', refundOf: null };
  return {
    type: 'PaymentCreated',
    data: { mode, action, target, amountCents, feeCents, ...shown, ...ids, atUs: 1_000 },
  };
}

/** Gives all users the funds that the scenario names. */
export function open({ scenario, store }: World): void {
  for (const id of PEOPLE) {
    const amountCents = scenario.fundsCents[id];
    if (amountCents === null) continue;
    const deposit: WalletCommand = { type: 'deposit', amountCents, sourceId: 'till', atUs: 1 };
    const events = decideWallet(deposit, NO_WALLET);
    finish(store.append([{ kind: 'wallet', key: id, expectedRevision: -1, events }]));
  }
}

/** Runs a process to its end while no other process moves. */
export function finish<Result>(process: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = process.next();
    if (done === true) return value;
  }
}
