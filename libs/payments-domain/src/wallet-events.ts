/** Every event of a wallet says for which payment it stands and what the balance is after it. */
interface WalletFact<Type extends string, Data> {
  readonly type: Type;
  readonly data: Data & { readonly balanceCents: number; readonly atUs: number };
}

type ForPayment = { readonly paymentId: string };
type Attempt = { readonly attempt: number };
/** `amountCents` is what the payee gets; the payer's wallet moves by both together. */
type AmountAndFee = { readonly amountCents: number; readonly feeCents: number };
/** The app through which the owner approved the payment; absent where no approval took the money, or before it was kept. */
type ByApp = { readonly appId?: string };
type FromSource = Attempt & { readonly amountCents: number; readonly sourceId: string };

export type WalletOpened = WalletFact<'WalletOpened', { readonly paymentId: null }>;
/** Stands before a source is asked; the balance has not moved. */
export type FundingRequested = WalletFact<'FundingRequested', ForPayment & FromSource & ByApp>;
/** Money came in from a source: for a payment, or (null) because the owner put it there. */
export type FundsAdded = WalletFact<'FundsAdded', FromSource & { readonly paymentId: string | null }>;
/** The source said no to an approval; the request stays pending. */
export type FundingDeclined = WalletFact<'FundingDeclined', ForPayment & Attempt>;
export type FundsDebited = WalletFact<'FundsDebited', ForPayment & AmountAndFee & ByApp>;
/** The wallet and its source cannot fund a creation. */
export type DebitRefused = WalletFact<'DebitRefused', ForPayment & Attempt>;
export type FundsCredited = WalletFact<'FundsCredited', ForPayment & { readonly amountCents: number }>;
/** A debit whose payment ended otherwise. */
export type FundsReturned = WalletFact<'FundsReturned', ForPayment & AmountAndFee>;
/** Back to the source that it came from. */
export type FundsWithdrawn = WalletFact<
  'FundsWithdrawn',
  ForPayment & { readonly amountCents: number; readonly sourceId: string }
>;

/** All that can ever stand in a wallet's stream. */
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
