/** The provider's reasons, a closed list; its own text is never stored. */
export type ProviderCode =
  'declined' | 'insufficient' | 'expired_card' | 'suspected_fraud' | 'action_timeout' | 'limit' | 'other';

/** Why a charge brought no money. */
export interface FundingRefusal {
  readonly reason: 'funding_declined' | 'funding_cancelled';
  readonly code: ProviderCode;
}

interface Fact<Type extends string, Data> {
  readonly type: Type;
  readonly data: Data & { readonly atUs: number };
}

/** A decision by hand: the operator's name, the reason in words, and a reference such as a bank's. */
export interface OperatorDecision {
  readonly operator: string;
  readonly reason: string;
  readonly reference: string;
}

/** The terms of a deposit or a withdrawal, fixed when it is requested. */
interface FundingFacts {
  readonly userId: string;
  readonly amountCents: number;
  readonly sourceId: string;
  /** Set for a bank transfer that an operator books by hand: the provider is not involved. */
  readonly booking: OperatorDecision | null;
}

/** `beginBeforeUs` is that of the charge, whose key is the deposit's id. */
export type DepositRequested = Fact<'DepositRequested', FundingFacts & { readonly beginBeforeUs: number }>;
/** Deposits from before there was a provider, whose money the same command adds to the wallet. */
export type DepositAccepted = {
  readonly type: 'DepositAccepted';
  readonly data: { readonly userId: string; readonly walletRevision?: number };
};
/** All events of the stream `deposit-<id>`. The first answer that is stored decides. */
export type DepositEvent =
  | DepositAccepted
  | DepositRequested
  | Fact<'DepositSettled', { readonly providerId?: string }>
  | Fact<'DepositFailed', FundingRefusal>;

/** `needsReview`: the payout waits for an operator. */
export type WithdrawalRequested = Fact<'WithdrawalRequested', FundingFacts & { readonly needsReview: boolean }>;
/** Stored before the payout is sent. From then on the provider's answer alone decides. */
export type PayoutRequested = Fact<'PayoutRequested', { readonly key: string; readonly beginBeforeUs: number }>;
export type WithdrawalCancelled = Fact<
  'WithdrawalCancelled',
  {
    readonly reason: 'cancelled_by_owner' | 'refused_by_operator' | 'owner_frozen';
    readonly decision: OperatorDecision | null;
  }
>;
/** All events of the stream `withdrawal-<id>`. */
export type WithdrawalEvent =
  | WithdrawalRequested
  | Fact<'WithdrawalApproved', { readonly decision: OperatorDecision }>
  | PayoutRequested
  | Fact<'WithdrawalPaid', { readonly providerId?: string }>
  | Fact<'WithdrawalFailed', { readonly reason: 'not_covered' | 'payout_failed'; readonly code?: ProviderCode }>
  | WithdrawalCancelled
  /** The payout came back, possibly days after it was paid. */
  | Fact<'WithdrawalReturned', { readonly code?: ProviderCode }>;

/** Names the payment or the deposit of the charge, so that the wallet's part can be found. */
export type ReversalOpened = Fact<
  'ReversalOpened',
  {
    readonly chargeKey: string;
    readonly userId: string;
    readonly paymentId: string | null;
    readonly fundingId: string | null;
    readonly amountCents: number;
  }
>;
/** All events of the stream `reversal-<provider's id>`; both in one append if the reversal is first seen closed. */
export type ReversalEvent = ReversalOpened | Fact<'ReversalClosed', { readonly won: boolean }>;

/** Why an answer of the provider contradicts what is stored. */
export type Contradiction =
  | 'other_amount'
  | 'other_currency'
  /** A charge whose money is in the wallet is declined without a reversal. */
  | 'declined_after_approval'
  /** The provider has a repayment or payout that no stored event requested, or answers a decided one otherwise. */
  | 'not_requested'
  | 'answered_otherwise'
  /** The provider has an object under a key that the log does not know, such as one from before a restore: an orphan. */
  | 'unknown_key'
  /** A change that could not be applied, for a reason that only the log of the service shows. */
  | 'not_applied';

/**
 * Stored in `contradiction-<provider key>`: it moves no money of the ledger, an operator looks at it. The money of an orphan
 * charge was never in the ledger, so the intent and the outcome of its repayment stand here.
 */
export type ContradictionEvent =
  | Fact<
      'ContradictionFound',
      { readonly key: string; readonly contradiction: Contradiction; readonly version: number }
    >
  /** Stored before the provider is asked for the repayment `key` of the orphan charge. */
  | Fact<
      'OrphanRepaymentRequested',
      {
        readonly key: string;
        readonly userId: string;
        readonly amountCents: number;
        readonly beginBeforeUs: number;
        readonly decision: OperatorDecision;
      }
    >
  | Fact<'OrphanRepaymentAnswered', { readonly key: string; readonly answer: 'accepted' | 'refused' | 'missing' }>
  | Fact<'ContradictionClosed', { readonly decision: OperatorDecision }>;
