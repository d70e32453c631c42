import type { WalletEvent } from './wallet-events.js';

/** The steps of one payment in one wallet. */
export interface WalletSteps {
  readonly isDebited: boolean;
  readonly isRefused: boolean;
  readonly isCredited: boolean;
  readonly isReturned: boolean;
  /** Newest attempt to charge the source; 0 if there was none. */
  readonly attempt: number;
  /** Whether the source has not responded to that attempt. */
  readonly isAwaitingSource: boolean;
  /** Source of the newest attempt. */
  readonly sourceId: string | null;
  /** Whether that source paid for the debit. */
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

/** The part of a wallet event on which steps depend: the journal stores it beside each line. */
export type StepFact =
  | { readonly type: 'FundingRequested'; readonly data: { readonly attempt: number; readonly sourceId: string } }
  | { readonly type: Exclude<WalletEvent['type'], 'FundingRequested'>; readonly data: object };

/** Folds one of the payment's events into its steps. Total. */
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
