import type { StoredEvent } from '@settle/event-store';
import type { PaymentEvent, WalletEvent } from '@settle/payments-domain';

const PAYMENT = 'payment-';
const WALLET = 'wallet-';

/** Prefixes of the streams that the ledger consists of. */
export const LEDGER_PREFIXES = [PAYMENT, WALLET] as const;

/** Prefix of the streams of payments alone. */
export const PAYMENT_PREFIXES = [PAYMENT] as const;

/** Prefix of all streams, others' as well: every position is one of theirs. */
export const EVERY_STREAM = [''] as const;

/** Reads a payment's stream to its end: it holds two events, so that ten are more than there can be. */
export const WHOLE_PAYMENT = { direction: 'forwards', limit: 10 } as const;

export const paymentStream = (paymentId: string): string => PAYMENT + paymentId;
export const walletStream = (userId: string): string => WALLET + userId;

/** The payment whose stream this is. */
export const paymentIdOf = (stream: string): string => stream.slice(PAYMENT.length);

/** What a stored event of the ledger is about. */
export type LedgerFact =
  | { readonly kind: 'payment'; readonly paymentId: string; readonly revision: number; readonly event: PaymentEvent }
  | { readonly kind: 'wallet'; readonly walletId: string; readonly revision: number; readonly event: WalletEvent };

/** Names chosen at writing are the ones read: the type of an event says which member of the union it is. */
export function readFact(stored: StoredEvent): LedgerFact {
  const { stream, revision, type, data } = stored;
  const event = { type, data };
  if (stream.startsWith(PAYMENT)) {
    return { kind: 'payment', paymentId: paymentIdOf(stream), revision, event: event as PaymentEvent };
  }
  return { kind: 'wallet', walletId: stream.slice(WALLET.length), revision, event: event as WalletEvent };
}

/** The facts of a payment's stream. */
export function readPaymentEvent({ type, data }: StoredEvent): PaymentEvent {
  return { type, data } as PaymentEvent;
}

/** The facts of a wallet's stream. */
export function readWalletEvent({ type, data }: StoredEvent): WalletEvent {
  return { type, data } as WalletEvent;
}
