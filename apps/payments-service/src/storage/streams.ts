import type { StoredEvent } from '@settle/event-store';
import type { PaymentEvent, WalletEvent } from '@settle/payments-domain';

const PAYMENT = 'payment-';
const WALLET = 'wallet-';

/** Prefixes of the ledger's streams. */
export const LEDGER_PREFIXES = [PAYMENT, WALLET] as const;

/** Prefixes of payments' streams. */
export const PAYMENT_PREFIXES = [PAYMENT] as const;

/** Matches all streams, including those outside the ledger. */
export const EVERY_STREAM = [''] as const;

/** Reads a payment's stream to its end: it has at most two events. */
export const WHOLE_PAYMENT = { direction: 'forwards', limit: 10 } as const;

export const paymentStream = (paymentId: string): string => PAYMENT + paymentId;
export const walletStream = (userId: string): string => WALLET + userId;

/** Returns the id of the payment with this stream. */
export const paymentIdOf = (stream: string): string => stream.slice(PAYMENT.length);

/** A stored event of the ledger with the payment or wallet that it belongs to. */
export type LedgerEvent =
  | { readonly kind: 'payment'; readonly paymentId: string; readonly revision: number; readonly event: PaymentEvent }
  | { readonly kind: 'wallet'; readonly walletId: string; readonly revision: number; readonly event: WalletEvent };

/** Reads a stored event; its type decides which member of the union it is. */
export function readLedgerEvent(stored: StoredEvent): LedgerEvent {
  const { stream, revision, type, data } = stored;
  const event = { type, data };
  if (stream.startsWith(PAYMENT)) {
    return { kind: 'payment', paymentId: paymentIdOf(stream), revision, event: event as PaymentEvent };
  }
  return { kind: 'wallet', walletId: stream.slice(WALLET.length), revision, event: event as WalletEvent };
}

/** Reads an event of a payment's stream. */
export function readPaymentEvent({ type, data }: StoredEvent): PaymentEvent {
  return { type, data } as PaymentEvent;
}

/** Reads an event of a wallet's stream. */
export function readWalletEvent({ type, data }: StoredEvent): WalletEvent {
  return { type, data } as WalletEvent;
}
