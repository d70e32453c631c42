import { NO_CHARGES, evolveCharges, type Charges } from './charges.js';
import type { FundingRefusal } from './funding-events.js';
import type { WalletEvent } from './wallet-events.js';

/** The steps of one payment in one wallet. */
export interface WalletSteps {
  readonly isDebited: boolean;
  readonly isRefused: boolean;
  /** Why the charge of a refused creation brought no money; null if no provider was asked. */
  readonly refusedBecause: FundingRefusal['reason'] | null;
  readonly isCredited: boolean;
  readonly isReturned: boolean;
  /** Newest attempt to charge the source; 0 if there was none. */
  readonly attempt: number;
  /** Whether the source has not responded to that attempt. */
  readonly isAwaitingSource: boolean;
  /** Source of the newest attempt. */
  readonly sourceId: string | null;
  /** When the provider must have begun that attempt; null for one from before there was a provider. */
  readonly beginBeforeUs: number | null;
  /** Whether that source paid for the debit. */
  readonly isFromSource: boolean;
  /** Charge that paid the debit; null if the balance did, and for a debit from before there was a provider. */
  readonly debitChargeKey: string | null;
  readonly charges: Charges;
}

export const NO_STEPS: WalletSteps = {
  isDebited: false,
  isRefused: false,
  refusedBecause: null,
  isCredited: false,
  isReturned: false,
  attempt: 0,
  isAwaitingSource: false,
  sourceId: null,
  beginBeforeUs: null,
  isFromSource: false,
  debitChargeKey: null,
  charges: NO_CHARGES,
};

/** Returns whether a source at the provider paid the debit. */
export function isPaidBySource({ debitChargeKey }: WalletSteps): boolean {
  return debitChargeKey !== null;
}

/** The data that the journal must store of a wallet event beside the amounts, so that steps can be rebuilt from it. */
export interface StepData {
  readonly paymentId?: string | null;
  readonly chargeKey?: string | null;
  /** Key of the repayment that `RepaymentRequested` announces. */
  readonly key?: string;
  readonly beginBeforeUs?: number;
  readonly repaymentKey?: string;
  readonly reversalId?: string;
  /** Why a charge brought no money. */
  readonly reason?: FundingRefusal['reason'];
}

type RequestData = StepData & { readonly attempt: number; readonly sourceId: string };

/** The part of a wallet event on which steps depend: the journal stores it beside each line. */
export type StepFact =
  | { readonly type: 'FundingRequested'; readonly data: RequestData }
  | { readonly type: Exclude<WalletEvent['type'], 'FundingRequested'>; readonly data: StepData };

/** Folds one of the payment's events into its steps. Total. */
export function evolveSteps(before: WalletSteps, fact: StepFact): WalletSteps {
  const steps = withCharges(before, evolveCharges(before.charges, fact));
  switch (fact.type) {
    case 'FundingRequested':
      return afterRequested(steps, fact.data);
    case 'FundsAdded':
      return afterAdded(steps, fact.data);
    case 'FundingDeclined':
      return { ...steps, isAwaitingSource: false };
    case 'DebitRefused':
      return { ...steps, isAwaitingSource: false, isRefused: true, refusedBecause: reasonOf(fact.data) };
    case 'FundsDebited':
      return afterDebited(steps, fact.data);
    case 'FundsCredited':
      return { ...steps, isCredited: true };
    case 'FundsReturned': {
      const data = { chargeKey: steps.debitChargeKey };
      return { ...withCharges(steps, evolveCharges(steps.charges, { type: fact.type, data })), isReturned: true };
    }
    case 'WalletOpened':
    case 'RepaymentRequested':
    case 'FundsWithdrawn':
    case 'WithdrawalReversed':
    case 'FundsReversed':
    case 'ReversalReturned':
      return steps;
  }
}

/** A refusal that names a charge was the provider's; a reader that knows no more takes it for a decline. */
function reasonOf({ reason, chargeKey }: StepData): FundingRefusal['reason'] | null {
  return reason ?? (typeof chargeKey === 'string' ? 'funding_declined' : null);
}

function withCharges(steps: WalletSteps, charges: Charges): WalletSteps {
  return charges === steps.charges ? steps : { ...steps, charges };
}

function afterRequested(steps: WalletSteps, { attempt, sourceId, beginBeforeUs }: RequestData): WalletSteps {
  return { ...steps, attempt, isAwaitingSource: true, sourceId, beginBeforeUs: beginBeforeUs ?? null };
}

function afterAdded(steps: WalletSteps, { chargeKey }: StepData): WalletSteps {
  if (typeof chargeKey !== 'string') return { ...steps, isAwaitingSource: false, isFromSource: true };
  // Late money of a refused attempt answers no later one.
  return steps.charges.get(chargeKey)?.isRefused ? steps : { ...steps, isAwaitingSource: false };
}

function afterDebited(steps: WalletSteps, { chargeKey = null }: StepData): WalletSteps {
  const isFromSource = steps.isFromSource || chargeKey !== null;
  return { ...steps, isDebited: true, isFromSource, debitChargeKey: chargeKey };
}

/** The steps of one deposit or withdrawal in its owner's wallet. */
export interface FundingSteps {
  /** Money of the deposit is in the wallet. */
  readonly isAdded: boolean;
  /** Money of the withdrawal has left the wallet. */
  readonly isWithdrawn: boolean;
  /** It is balance again. */
  readonly isTakenBack: boolean;
  readonly charges: Charges;
}

export const NO_FUNDING_STEPS: FundingSteps = {
  isAdded: false,
  isWithdrawn: false,
  isTakenBack: false,
  charges: NO_CHARGES,
};

/** Folds one of the deposit's or withdrawal's events into its steps. Total. */
export function evolveFundingSteps(before: FundingSteps, fact: StepFact): FundingSteps {
  const steps = { ...before, charges: evolveCharges(before.charges, fact) };
  switch (fact.type) {
    case 'FundsAdded':
      return { ...steps, isAdded: true };
    case 'FundsWithdrawn':
      return fact.data.repaymentKey === undefined ? { ...steps, isWithdrawn: true } : steps;
    case 'WithdrawalReversed':
      return fact.data.repaymentKey === undefined ? { ...steps, isTakenBack: true } : steps;
    default:
      return steps;
  }
}
