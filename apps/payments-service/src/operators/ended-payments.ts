import type { ReadableLog } from '@settle/event-store';
import type { ClientBase } from 'pg';
import type { TouchedPayment } from '../projection/batch-fold.js';
import { addSteps, readPaymentBefore } from '../projection/earlier-payments.js';

export interface EndedPaymentsOptions {
  readonly store: Pick<ReadableLog, 'readStream'>;
  /** Reads as of one moment, at or after the batch. */
  readonly client: ClientBase;
  /** Up to which revision a wallet's events were counted before the batch. */
  readonly revisionOf: (walletId: string) => number;
}

/**
 * Payments that had come to their end before a batch of events, which touches them once more: whoever loses a race may
 * have begun to debit by then, and gives it back. Payments without any event before the batch come back as such.
 * @param position of the batch's first event
 */
export async function endedPayments(
  { store, client, revisionOf }: EndedPaymentsOptions,
  paymentIds: readonly string[],
  position: number,
): Promise<TouchedPayment[]> {
  const ended = new Map<string, TouchedPayment>();
  for (const paymentId of paymentIds) {
    // It had ended, so the refund that its end names was written.
    ended.set(paymentId, { ...(await readPaymentBefore(store, paymentId, position)), isRefundWritten: true });
  }
  if (ended.size === 0) return [];
  await addSteps(client, ended, (walletId, revision) => revision <= revisionOf(walletId));
  return [...ended.values()];
}
