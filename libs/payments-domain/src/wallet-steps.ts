import type { WalletEvent } from './wallet-events.js';

/** What one wallet's stream holds of one payment. */
export interface WalletSteps {
  readonly isDebited: boolean;
  readonly isRefused: boolean;
  readonly isCredited: boolean;
  readonly isReturned: boolean;
  /** The newest attempt to charge the source; 0 when there was none. */
  readonly attempt: number;
  /** Whether the source has not answered that attempt yet. */
  readonly isAwaitingSource: boolean;
  /** The source that was last asked. */
  readonly sourceId: string | null;
  /** Whether the debit was paid by that source. */
  readonly isFromSource: boolean;
}

export const NO_STEPS: WalletSteps = {
  isDebited: false,
  isRefused: false,
  isCredited: false,
  isReturned: false,
  attempt: 0,
  isAwaitingSource: false,
  sourceId: null,
  isFromSource: false,
};

/** As much of a wallet's fact as its steps depend on: the journal keeps this beside each of its lines. */
export type StepFact =
  | { readonly type: 'FundingRequested'; readonly data: { readonly attempt: number; readonly sourceId: string } }
  | { readonly type: Exclude<WalletEvent['type'], 'FundingRequested'>; readonly data: object };

/** Folds one of the payment's facts into what is known of its steps. Total. */
export function evolveSteps(steps: WalletSteps, fact: StepFact): WalletSteps {
  switch (fact.type) {
    case 'FundingRequested':
      return { ...steps, attempt: fact.data.attempt, isAwaitingSource: true, sourceId: fact.data.sourceId };
    case 'FundsAdded':
      return { ...steps, isAwaitingSource: false, isFromSource: true };
    case 'FundingDeclined':
      return { ...steps, isAwaitingSource: false };
    case 'DebitRefused':
      return { ...steps, isAwaitingSource: false, isRefused: true };
    case 'FundsDebited':
      return { ...steps, isDebited: true };
    case 'FundsCredited':
      return { ...steps, isCredited: true };
    case 'FundsReturned':
      return { ...steps, isReturned: true };
    case 'WalletOpened':
    case 'FundsWithdrawn':
      return steps;
  }
}
