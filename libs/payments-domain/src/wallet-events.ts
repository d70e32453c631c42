/** Every wallet event has its payment and the balance after it. */
interface WalletFact<Type extends string, Data> {
  readonly type: Type;
  readonly data: Data & { readonly balanceCents: number; readonly atUs: number };
}

type ForPayment = { readonly paymentId: string };
type Attempt = { readonly attempt: number };
/** `amountCents` is what the payee gets; the payer's wallet changes by both together. */
type AmountAndFee = { readonly amountCents: number; readonly feeCents: number };
/** App through which the owner approved the payment; absent without an approval, and in older events. */
type ByApp = { readonly appId?: string };
type FromSource = Attempt & { readonly amountCents: number; readonly sourceId: string };

export type WalletOpened = WalletFact<'WalletOpened', { readonly paymentId: null }>;
/** Stored before a source is charged; the balance has not changed. */
export type FundingRequested = WalletFact<'FundingRequested', ForPayment & FromSource & ByApp>;
/** Money came in from a source: for a payment, or (null) as a deposit of the owner. */
export type FundsAdded = WalletFact<'FundsAdded', FromSource & { readonly paymentId: string | null }>;
/** The source declined during an approval; the request stays pending. */
export type FundingDeclined = WalletFact<'FundingDeclined', ForPayment & Attempt>;
export type FundsDebited = WalletFact<'FundsDebited', ForPayment & AmountAndFee & ByApp>;
/** The wallet and its source cannot fund a creation. */
export type DebitRefused = WalletFact<'DebitRefused', ForPayment & Attempt>;
export type FundsCredited = WalletFact<'FundsCredited', ForPayment & { readonly amountCents: number }>;
/** Return of a debit whose payment was not settled. */
export type FundsReturned = WalletFact<'FundsReturned', ForPayment & AmountAndFee>;
/** Money returned to the source that it came from. */
export type FundsWithdrawn = WalletFact<
  'FundsWithdrawn',
  ForPayment & { readonly amountCents: number; readonly sourceId: string }
>;

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
  | FundsWithdrawn;
