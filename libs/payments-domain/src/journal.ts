import type { WithdrawalRequested } from './funding-events.js';
import type { PaymentFacts } from './payment.js';
import type { WalletEvent, WithdrawalReversed } from './wallet-events.js';

/** One double-entry line: `amountCents` moves from the debit account to the credit account. */
export interface JournalEntry {
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountCents: number;
}

export const FEES_ACCOUNT = 'fees';
export const walletAccount = (userId: string): string => `wallet:${userId}`;
export const transitAccount = (paymentId: string): string => `transit:${paymentId}`;
/** Holds the money of a withdrawal from when it leaves the wallet until the payout is paid, or back in the wallet. */
export const payoutsAccount = (withdrawalId: string): string => `payouts:${withdrawalId}`;
export const fundingAccount = (userId: string): string => `funding:${userId}`;

/** Returns the journal line of a wallet event. An event that moves no money is a line of zero within the wallet. */
export function walletEntry(walletId: string, event: WalletEvent): JournalEntry {
  const wallet = walletAccount(walletId);
  switch (event.type) {
    case 'FundsAdded':
    case 'ReversalReturned':
      return entry(fundingAccount(walletId), wallet, event.data.amountCents);
    case 'FundsWithdrawn':
      return entry(wallet, outsideAccount(walletId, event.data), event.data.amountCents);
    case 'WithdrawalReversed':
      return entry(reversedFrom(walletId, event.data), wallet, event.data.amountCents);
    case 'FundsReversed':
      return entry(wallet, fundingAccount(walletId), event.data.amountCents);
    case 'FundsDebited':
      return entry(wallet, transitAccount(event.data.paymentId), event.data.amountCents + event.data.feeCents);
    case 'FundsReturned':
      return entry(transitAccount(event.data.paymentId), wallet, event.data.amountCents + event.data.feeCents);
    case 'FundsCredited':
      return entry(transitAccount(event.data.paymentId), wallet, event.data.amountCents);
    case 'WalletOpened':
    case 'FundingRequested':
    case 'FundingDeclined':
    case 'DebitRefused':
    case 'RepaymentRequested':
      return entry(wallet, wallet, 0);
  }
}

/** A repayment leaves the ledger at once; money of a withdrawal waits for the payout. */
function outsideAccount(walletId: string, owner: { fundingId?: string | null; repaymentKey?: string }): string {
  const { fundingId = null, repaymentKey } = owner;
  return fundingId === null || repaymentKey !== undefined ? fundingAccount(walletId) : payoutsAccount(fundingId);
}

function reversedFrom(walletId: string, reversed: WithdrawalReversed['data']): string {
  return reversed.wasPaid ? fundingAccount(walletId) : outsideAccount(walletId, reversed);
}

/** Returns the journal line of `WithdrawalPaid`: the money leaves the ledger. */
export function payoutEntry(withdrawalId: string, facts: WithdrawalRequested['data']): JournalEntry {
  return entry(payoutsAccount(withdrawalId), fundingAccount(facts.userId), facts.amountCents);
}

/** Returns the journal line of a settled payment's fee; null without a fee. */
export function feeEntry(paymentId: string, facts: PaymentFacts): JournalEntry | null {
  return facts.feeCents === 0 ? null : entry(transitAccount(paymentId), FEES_ACCOUNT, facts.feeCents);
}

function entry(debitAccount: string, creditAccount: string, amountCents: number): JournalEntry {
  return { debitAccount, creditAccount, amountCents };
}
