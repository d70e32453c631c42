import type { FundingRefusal } from './funding-events.js';

/** Every wallet event has the payment or the deposit or withdrawal that it is for, and the balance after it. */
interface WalletFact<Type extends string, Data> {
  readonly type: Type;
  readonly data: Data & { readonly balanceCents: number; readonly atUs: number };
}

type ForPayment = { readonly paymentId: string };
/** A payment, or a deposit or withdrawal: one of the two is null. Older events have no `fundingId`. */
export type ForOwner = { readonly paymentId: string | null; readonly fundingId?: string | null };
type Attempt = { readonly attempt: number };
/** Key of the provider's charge; absent in events from before there was a provider. */
type OfCharge = { readonly chargeKey?: string };
/** Id of the provider's object. */
type FromProvider = { readonly providerId?: string };
/** `amountCents` is what the payee gets; the payer's wallet changes by both together. */
type AmountAndFee = { readonly amountCents: number; readonly feeCents: number };
/** App through which the owner approved the payment; absent without an approval, and in older events. */
type ByApp = { readonly appId?: string };
type FromSource = Attempt & { readonly amountCents: number; readonly sourceId: string };

export type WalletOpened = WalletFact<'WalletOpened', { readonly paymentId: null }>;
/**
 * Stored before a source is charged; the balance has not changed. A provider that has not begun by `beginBeforeUs` never
 * begins.
 */
export type FundingRequested = WalletFact<
  'FundingRequested',
  ForPayment & FromSource & ByApp & OfCharge & { readonly beginBeforeUs?: number }
>;
/**
 * Money came in from a source: for a payment, or (null) as a deposit of the owner. `isLate`: the charge had been refused
 * before, so no debit follows.
 */
export type FundsAdded = WalletFact<
  'FundsAdded',
  FromSource & ForOwner & OfCharge & FromProvider & { readonly isLate?: true }
>;
/** The source declined during an approval; the request stays pending. */
export type FundingDeclined = WalletFact<'FundingDeclined', ForPayment & Attempt & OfCharge & Partial<FundingRefusal>>;
/** `chargeKey` is the charge that paid the debit, null if the balance did; absent in older events. */
export type FundsDebited = WalletFact<
  'FundsDebited',
  ForPayment & AmountAndFee & ByApp & { readonly chargeKey?: string | null }
>;
/** The wallet and its source cannot fund a creation. */
export type DebitRefused = WalletFact<'DebitRefused', ForPayment & Attempt & OfCharge & Partial<FundingRefusal>>;
/** `isFromSource`: a source of the payer paid, so that the money cannot be withdrawn for a while. */
export type FundsCredited = WalletFact<
  'FundsCredited',
  ForPayment & { readonly amountCents: number; readonly isFromSource?: true }
>;
/** Return of a debit whose payment was not settled. */
export type FundsReturned = WalletFact<'FundsReturned', ForPayment & AmountAndFee>;
/** Stored before a repayment of a charge is sent to the provider under `key`; the balance has not changed. */
export type RepaymentRequested = WalletFact<
  'RepaymentRequested',
  ForOwner & { readonly chargeKey: string; readonly key: string; readonly beginBeforeUs: number }
>;
/** Money that left: repaid to the source that it came from, or (without `repaymentKey`) taken for a withdrawal. */
export type FundsWithdrawn = WalletFact<
  'FundsWithdrawn',
  ForOwner &
    OfCharge &
    FromProvider & { readonly amountCents: number; readonly sourceId: string; readonly repaymentKey?: string }
>;
/**
 * A repayment or a payout that failed or was returned: the money is balance again. `wasPaid`: the provider had paid it out,
 * so that it comes back from outside.
 */
export type WithdrawalReversed = WalletFact<
  'WithdrawalReversed',
  ForOwner & OfCharge & { readonly amountCents: number; readonly wasPaid: boolean; readonly repaymentKey?: string }
>;
type Reversal = ForOwner & { readonly reversalId: string; readonly chargeKey: string; readonly amountCents: number };
/** A dispute or chargeback took a charge back, whole or in part. The balance may be negative after it. */
export type FundsReversed = WalletFact<'FundsReversed', Reversal>;
/** The reversal was won: the money is back. */
export type ReversalReturned = WalletFact<'ReversalReturned', Reversal>;

/** All events of a wallet's stream. */
export type WalletEvent =
  | WalletOpened
  | FundingRequested
  | FundsAdded
  | FundingDeclined
  | FundsDebited
  | DebitRefused
  | FundsCredited
  | FundsReturned
  | RepaymentRequested
  | FundsWithdrawn
  | WithdrawalReversed
  | FundsReversed
  | ReversalReturned;
