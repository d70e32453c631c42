import type { PaymentFacts } from './payment.js';
import type { WalletEvent } from './wallet-events.js';

/** One line of double entry: `amountCents` leaves the debit account and arrives at the credit account. */
export interface JournalEntry {
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountCents: number;
}

export const FEES_ACCOUNT = 'fees';
export const walletAccount = (userId: string): string => `wallet:${userId}`;
export const transitAccount = (paymentId: string): string => `transit:${paymentId}`;
export const fundingAccount = (userId: string): string => `funding:${userId}`;

/** The line that a wallet's fact stands for. One that moves nothing is a line of zero within the wallet. */
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

/** The line that settling a payment with a fee stands for; null without a fee. */
export function feeEntry(paymentId: string, facts: PaymentFacts): JournalEntry | null {
  return facts.feeCents === 0 ? null : entry(transitAccount(paymentId), FEES_ACCOUNT, facts.feeCents);
}

function entry(debitAccount: string, creditAccount: string, amountCents: number): JournalEntry {
  return { debitAccount, creditAccount, amountCents };
}
