import type { PaymentCreated } from '../../src/payment-events.js';
import type { Chance } from '../transfer-model/chance.fixture.js';

export const USERS = ['ann', 'bob', 'cyd'] as const;
export type User = (typeof USERS)[number];
export const AMOUNT_CENTS = 9;
export const FEE_CENTS = 1;
/** The amounts that a payment takes from its payer, and that each deposit and withdrawal moves. */
export const TOTAL_CENTS = AMOUNT_CENTS + FEE_CENTS;

export type WalkedMode = 'transfer' | 'hold' | 'request' | 'trusted';

/** Ann pays or is charged, unless `isBack`. A charge to an address may be approved by Cyd too. */
export interface PaymentPlan {
  readonly id: string;
  readonly mode: WalkedMode;
  readonly payer: User;
  readonly payee: User;
}

export interface FundingPlan {
  readonly id: string;
  readonly user: User;
}

/** One world: who has what, how the provider behaves, what breaks. Chance decides the order of everything. */
export interface Scenario {
  readonly payments: readonly PaymentPlan[];
  readonly deposits: readonly FundingPlan[];
  readonly withdrawals: readonly FundingPlan[];
  readonly balances: Readonly<Record<User, number>>;
  readonly hasSource: boolean;
  /** How often the provider declines charges, refuses repayments, returns what it paid, opens reversals. */
  readonly declines: number;
  readonly refuses: number;
  readonly returns: number;
  readonly reverses: number;
  /** How often a declined charge is approved later. */
  readonly contradicts: number;
  /** How often a request is lost on its way, or its answer. */
  readonly losses: number;
  readonly staleness: number;
  readonly crashes: number;
  /** How often the provider acts between two steps of ours. */
  readonly pace: number;
  /** How often time jumps, so that stored intents become too old to begin. */
  readonly jumps: number;
  /** How often a reader of changes follows a callback, in any order, instead of the cursor. */
  readonly callbacks: number;
  /** A store that keeps a unit whole, or one that may keep a prefix of it. */
  readonly storesWhole: boolean;
  /** The provider's clock less ours. */
  readonly skewUs: number;
  /** How often users cancel, approve, claim, and payments expire. */
  readonly actions: number;
}

const MODES = ['transfer', 'hold', 'request', 'trusted'] as const;

/** Draws a world; the focus fixes what it must have. */
export function drawScenario(chance: Chance, focus: Partial<Scenario> = {}): Scenario {
  const payments = Array.from({ length: chance.pick([0, 1, 1, 1, 2]) }, (_, at): PaymentPlan => {
    const isBack = at === 1 && chance.hits(0.5);
    const parties = isBack ? ({ payer: 'bob', payee: 'ann' } as const) : ({ payer: 'ann', payee: 'bob' } as const);
    return { id: `p${at + 1}`, mode: chance.pick(MODES), ...parties };
  });
  const isIdle = payments.length === 0;
  const withdrawals = chance.pick([0, 1, 1, 2]);
  return {
    payments,
    deposits: isIdle || chance.hits(0.4) ? [{ id: 'd1', user: 'ann' }] : [],
    withdrawals: Array.from({ length: withdrawals }, (_, at) => ({
      id: `w${at + 1}`,
      user: chance.pick(['ann', 'ann', 'bob']),
    })),
    balances: {
      ann: chance.pick([0, TOTAL_CENTS - 1, TOTAL_CENTS, 2 * TOTAL_CENTS, 3 * TOTAL_CENTS]),
      bob: chance.pick([0, TOTAL_CENTS, 2 * TOTAL_CENTS]),
      cyd: chance.pick([0, TOTAL_CENTS]),
    },
    hasSource: chance.hits(0.85),
    declines: chance.pick([0, 0.2, 0.6]),
    refuses: chance.pick([0, 0.3]),
    returns: chance.pick([0, 0.3]),
    reverses: chance.pick([0, 0.1, 0.4]),
    contradicts: chance.hits(0.15) ? 0.2 : 0,
    losses: 0.1,
    staleness: chance.pick([0, 0.1, 0.3]),
    crashes: chance.pick([0, 0.002, 0.02]),
    pace: 0.3,
    jumps: 0.004,
    callbacks: 0.3,
    storesWhole: chance.hits(0.5),
    skewUs: chance.pick([0, -25_000_000, 25_000_000]),
    actions: 0.6,
    ...focus,
  };
}

/** A hold and a request go to an address; a trusted charge and a transfer to a user. */
export function createdOf({ mode, payer, payee }: PaymentPlan, atUs: number): PaymentCreated {
  const isCharge = mode === 'request' || mode === 'trusted';
  const address = { type: 'email', userId: null, address: 'bob@example.com' } as const;
  const user = { type: 'user', userId: isCharge ? payer : payee, address: null } as const;
  return {
    type: 'PaymentCreated',
    data: {
      ...{ mode, action: isCharge ? 'charge' : 'pay', actorId: isCharge ? payee : payer },
      ...{ target: mode === 'hold' || mode === 'request' ? address : user },
      ...{ amountCents: AMOUNT_CENTS, feeCents: FEE_CENTS, note: 'for lunch', audience: 'private', medium: 'api' },
      ...{ appId: 'app', environment: 'live', commandId: 'command', refundOf: null, atUs },
    },
  };
}
