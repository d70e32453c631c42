import type { StepFact } from './wallet-steps.js';

/**
 * `requested`: the provider has not answered. `accepted`: the money left the wallet. `refused`: it stays as balance.
 * `missing`: never begun, so another key followed. `reversed`: accepted, then failed or returned.
 */
export type RepaymentState = 'requested' | 'accepted' | 'refused' | 'missing' | 'reversed';

export interface Repayment {
  readonly key: string;
  readonly beginBeforeUs: number;
  readonly state: RepaymentState;
}

/** The state of one charge in a wallet. */
export interface ChargeState {
  /** Whether the provider's "no" is stored; for a deposit that stands in the deposit's own stream. */
  readonly isRefused: boolean;
  /** Whether its money is in the wallet. */
  readonly isAdded: boolean;
  /** In the order in which they were requested. */
  readonly repayments: readonly Repayment[];
  /** By the provider's id of the reversal: whether it was won. */
  readonly reversals: ReadonlyMap<string, boolean>;
}

/** By charge key. Charges from before there was a provider are not among them. */
export type Charges = ReadonlyMap<string, ChargeState>;

export const NO_CHARGES: Charges = new Map();
export const NO_CHARGE: ChargeState = { isRefused: false, isAdded: false, repayments: [], reversals: new Map() };

/** Returns the key of a payment's charge. */
export function chargeKeyOf(paymentId: string, walletId: string, attempt: number): string {
  return `${paymentId}:${walletId}:${attempt}`;
}

/** Returns whether a reversal of the charge is open or lost: it is not repaid then. */
export function isReversed(charge: ChargeState): boolean {
  return [...charge.reversals.values()].some((isWon) => !isWon);
}

/** Returns the repayment that waits for the provider's answer, or undefined. */
export function openRepayment(charge: ChargeState): Repayment | undefined {
  const newest = charge.repayments.at(-1);
  return newest?.state === 'requested' ? newest : undefined;
}

/** Returns the key of the next repayment of a charge: the first key, then `:2`, `:3` after it. */
export function nextRepaymentKey(charge: ChargeState, firstKey: string): string {
  const tries = charge.repayments.length;
  return tries === 0 ? firstKey : `${firstKey}:${tries + 1}`;
}

/** Folds a wallet event into the charges that it concerns. Total. */
export function evolveCharges(charges: Charges, fact: StepFact): Charges {
  const { chargeKey } = fact.data;
  if (chargeKey === undefined || chargeKey === null) return charges;
  const before = charges.get(chargeKey) ?? NO_CHARGE;
  const after = evolveCharge(before, fact);
  return after === before && charges.has(chargeKey) ? charges : new Map(charges).set(chargeKey, after);
}

function evolveCharge(charge: ChargeState, { type, data }: StepFact): ChargeState {
  switch (type) {
    case 'FundingDeclined':
    case 'DebitRefused':
      return { ...charge, isRefused: true };
    case 'FundsAdded':
      // Money of a refused charge comes with the answer to its repayment; FundsWithdrawn follows if that was accepted.
      return { ...withAnswer(charge, 'refused'), isAdded: true };
    case 'RepaymentRequested': {
      const { key = '', beginBeforeUs = 0 } = data;
      const { repayments } = withAnswer(charge, 'missing');
      return { ...charge, repayments: [...repayments, { key, beginBeforeUs, state: 'requested' }] };
    }
    case 'FundsReturned':
      return withAnswer(charge, 'refused');
    case 'FundsWithdrawn':
      return withState(charge, data.repaymentKey, 'accepted');
    case 'WithdrawalReversed':
      return withState(charge, data.repaymentKey, 'reversed');
    case 'FundsReversed':
      return withReversal(charge, data.reversalId, false);
    case 'ReversalReturned':
      return withReversal(charge, data.reversalId, true);
    default:
      return charge;
  }
}

/** The open repayment gets this state. */
function withAnswer(charge: ChargeState, state: RepaymentState): ChargeState {
  return withState(charge, openRepayment(charge)?.key, state);
}

function withState(charge: ChargeState, key: string | undefined, state: RepaymentState): ChargeState {
  if (key === undefined) return charge;
  const repayments = charge.repayments.map((known) => (known.key === key ? { ...known, state } : known));
  return { ...charge, repayments };
}

function withReversal(charge: ChargeState, reversalId: string | undefined, isWon: boolean): ChargeState {
  if (reversalId === undefined) return charge;
  return { ...charge, reversals: new Map(charge.reversals).set(reversalId, isWon) };
}
