import type { ReadableLog } from '@settle/event-store';
import { NO_STEPS, evolveSteps } from '@settle/payments-domain';
import type { ClientBase } from 'pg';
import type { TouchedPayment } from '../projections/batch-fold.js';
import { paymentBefore, stepsOfPayments } from '../projections/earlier-payments.js';
import { stepFactOf } from '../transfer/transfer-histories.js';

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
    ended.set(paymentId, { ...(await paymentBefore(store, paymentId, position)), isRefundWritten: true });
  }
  if (ended.size === 0) return [];
  for (const row of await stepsOfPayments(client, paymentIds)) {
    const steps = ended.get(row.payment_id)?.steps;
    if (row.revision > revisionOf(row.wallet_id)) continue;
    steps?.set(row.wallet_id, evolveSteps(steps.get(row.wallet_id) ?? NO_STEPS, stepFactOf(row)));
  }
  return [...ended.values()];
}
