import type { PaymentFacts } from './payment.js';
import type { WalletEvent } from './wallet-events.js';

/** One double-entry line: `amountCents` moves from the debit account to the credit account. */
export interface JournalEntry {
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountCents: number;
}

export const FEES_ACCOUNT = 'fees';
export const walletAccount = (userId: string): string => `wallet:${userId}`;
export const transitAccount = (paymentId: string): string => `transit:${paymentId}`;
export const fundingAccount = (userId: string): string => `funding:${userId}`;

/** Returns the journal line of a wallet event. An event that moves no money is a line of zero within the wallet. */
export function walletEntry(walletId: string, event: WalletEvent): JournalEntry {
  const wallet = walletAccount(walletId);
  switch (event.type) {
    case 'FundsAdded':
      return entry(fundingAccount(walletId), wallet, event.data.amountCents);
    case 'FundsWithdrawn':
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
      return entry(wallet, wallet, 0);
  }
}

/** Returns the journal line of a settled payment's fee; null without a fee. */
export function feeEntry(paymentId: string, facts: PaymentFacts): JournalEntry | null {
  return facts.feeCents === 0 ? null : entry(transitAccount(paymentId), FEES_ACCOUNT, facts.feeCents);
}

function entry(debitAccount: string, creditAccount: string, amountCents: number): JournalEntry {
  return { debitAccount, creditAccount, amountCents };
}
