import type { ReadableLog } from '@settle/event-store';
import type { ClientBase } from 'pg';
import type { TouchedPayment } from '../read-models/ledger/batch-fold.js';
import { addSteps, readPaymentBefore } from '../read-models/ledger/earlier-payments.js';

export interface EndedPaymentsOptions {
  readonly store: Pick<ReadableLog, 'readStream'>;
  /** Connection with a snapshot at or after the batch. */
  readonly client: ClientBase;
  /** Revision up to which a wallet's events were counted before the batch. */
  readonly revisionOf: (walletId: string) => number;
}

/**
 * Reads payments that ended before a batch of events which changes them once more: the loser of a race may have debited a
 * wallet by then, and returns the money. Payments without events before the batch are returned without events.
 * @param position of the batch's first event
 */
export async function endedPayments(
  { store, client, revisionOf }: EndedPaymentsOptions,
  paymentIds: readonly string[],
  position: number,
): Promise<TouchedPayment[]> {
  const ended = new Map<string, TouchedPayment>();
  for (const paymentId of paymentIds) {
    // It has ended, so the refund that its end names is written.
    ended.set(paymentId, { ...(await readPaymentBefore(store, paymentId, position)), isRefundWritten: true });
  }
  if (ended.size === 0) return [];
  await addSteps(client, ended, (walletId, revision) => revision <= revisionOf(walletId));
  return [...ended.values()];
}
