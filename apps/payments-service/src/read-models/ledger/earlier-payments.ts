import { LIMITS } from '@settle/config';
import { NO_STREAM, type EventStore } from '@settle/event-store';
import { NO_PAYMENT, NO_STEPS, evolvePayment, evolveSteps } from '@settle/payments-domain';
import { LRUCache } from 'lru-cache';
import type { ClientBase, Pool } from 'pg';
import { forEachConcurrent } from '@settle/concurrency';
import { WHOLE_PAYMENT, paymentStream, readPaymentEvent } from '../../storage/streams.js';
import { STEP_COLUMNS, stepFactOf, type StepColumns } from '../../storage/step-columns.js';
import { newTouchedPayment, type TouchedPayment } from './batch-fold.js';

const STEPS_OF_PAYMENTS = {
  name: 'steps-of-payments',
  text: `select payment_id, wallet_id, revision, ${STEP_COLUMNS} from ledger_entries
    where payment_id = any($1::bigint[]) order by wallet_id, revision`,
};
const WRITTEN_PAYMENTS = {
  name: 'written-payments',
  text: 'select refund_of from payments where id = any($1::bigint[])',
};

interface StepRow extends StepColumns {
  readonly payment_id: string;
  readonly wallet_id: string;
  readonly revision: number;
}

/**
 * Folds the journal's lines of these payments into their steps.
 * @param counts whether to fold the line of a wallet at a revision; absent: all lines
 */
export async function addSteps(
  database: Pick<ClientBase, 'query'>,
  payments: ReadonlyMap<string, TouchedPayment>,
  counts?: (walletId: string, revision: number) => Promise<boolean>,
): Promise<void> {
  const { rows } = await database.query<StepRow>({ ...STEPS_OF_PAYMENTS, values: [[...payments.keys()]] });
  for (const row of rows) {
    const steps = payments.get(row.payment_id)?.steps;
    if (counts !== undefined && !(await counts(row.wallet_id, row.revision))) continue;
    steps?.set(row.wallet_id, evolveSteps(steps.get(row.wallet_id) ?? NO_STEPS, stepFactOf(row)));
  }
}

/** Reads a payment from its stream up to a log position, without steps. */
export async function readPaymentBefore(
  store: Pick<EventStore, 'readStream'>,
  paymentId: string,
  position: number,
): Promise<TouchedPayment> {
  const stored = await store.readStream(paymentStream(paymentId), WHOLE_PAYMENT);
  const before = stored.filter((event) => event.position < position);
  const payment = before.map(readPaymentEvent).reduce(evolvePayment, NO_PAYMENT);
  return { ...newTouchedPayment(paymentId), payment, revision: before.at(-1)?.revision ?? NO_STREAM };
}

/**
 * Loads payments in their state before a batch of events: incomplete ones from the cache, as the previous batch left them,
 * the others from their streams and their steps from the journal.
 */
export class EarlierPayments {
  readonly #open = new LRUCache<string, TouchedPayment>({ max: LIMITS.payments.openPaymentsKept });

  constructor(
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly pool: Pool,
  ) {}

  async loadBefore(paymentIds: readonly string[], position: number): Promise<TouchedPayment[]> {
    const kept: TouchedPayment[] = [];
    const others: string[] = [];
    for (const paymentId of paymentIds) {
      const payment = this.#open.get(paymentId);
      if (payment === undefined) others.push(paymentId);
      // A copy: a batch that fails must not change the cache.
      else kept.push({ ...payment, steps: new Map(payment.steps) });
    }
    return others.length === 0 ? kept : [...kept, ...(await this.#read(others, position))];
  }

  /** Records the payments of a batch that was written; the next batch starts where it ended. `isOpen`: steps are left. */
  recordWritten(touched: Iterable<TouchedPayment>, isOpen: (paymentId: string) => boolean): void {
    for (const payment of touched) {
      if (isOpen(payment.paymentId)) this.#open.set(payment.paymentId, { ...payment, isNew: false, isChanged: false });
      else this.#open.delete(payment.paymentId);
    }
  }

  /** Empties the cache: the next batch may start elsewhere. */
  clear(): void {
    this.#open.clear();
  }

  async #read(paymentIds: readonly string[], position: number): Promise<TouchedPayment[]> {
    const payments = new Map<string, TouchedPayment>();
    await forEachConcurrent(paymentIds, LIMITS.payments.projectorReads, async (paymentId) => {
      payments.set(paymentId, await readPaymentBefore(this.store, paymentId, position));
    });
    await addSteps(this.pool, payments);
    await this.#findRefunds([...payments.values()]);
    return [...payments.values()];
  }

  async #findRefunds(payments: readonly TouchedPayment[]): Promise<void> {
    // The refund id in the payment's end may belong to another payment.
    const refundIds: string[] = [];
    const ended = new Map<string, TouchedPayment>();
    for (const touched of payments) {
      const { payment } = touched;
      if ((payment.status === 'cancelled' || payment.status === 'expired') && payment.refundId !== null) {
        refundIds.push(payment.refundId);
        ended.set(touched.paymentId, touched);
      }
    }
    if (refundIds.length === 0) return;
    const { rows } = await this.pool.query<{ refund_of: string | null }>({ ...WRITTEN_PAYMENTS, values: [refundIds] });
    for (const { refund_of: refundOf } of rows) {
      const touched = refundOf === null ? undefined : ended.get(refundOf);
      if (touched !== undefined) touched.isRefundWritten = true;
    }
  }
}
