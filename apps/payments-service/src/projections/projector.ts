import { LIMITS } from '@settle/config';
import type { EventStore, StoredEvent, Subscription } from '@settle/event-store';
import { NO_PAYMENT, NO_STEPS, evolvePayment, evolveSteps, type PaymentState } from '@settle/payments-domain';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { Clock } from '../clock.js';
import { inLanes } from '../lanes.js';
import { LEDGER_PREFIXES, WHOLE_PAYMENT, paymentStream, readPaymentEvent } from '../streams.js';
import { stepFactOf, type StepColumns } from '../transfer/transfer-histories.js';
import { BatchFold, begunEarlier, existing, transferOf, untouched, type TouchedPayment } from './batch-fold.js';
import { openWorkOf, type OpenWork } from './open-work/open-work.js';
import { shownPayment } from './payments/shown-payment.js';
import { PositionWaiters } from './position-waiters.js';
import { ReadModelWriter, type PaymentChange, type ReadModelChanges } from './read-model-writer.js';

const STEPS_OF_PAYMENTS = {
  name: 'steps-of-payments',
  text: `select payment_id, wallet_id, event_type, attempt, source_id from ledger_entries
    where payment_id = any($1::bigint[]) order by wallet_id, revision`,
};
const WRITTEN_PAYMENTS = { name: 'written-payments', text: 'select id from payments where id = any($1::bigint[])' };

export interface ProjectorParts {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Follows the ledger's events into the read models, and knows how far they have come. */
export class Projector {
  readonly #writer: ReadModelWriter;
  readonly #waiters = new PositionWaiters();
  #subscription: Subscription | null = null;
  #position = 0;

  constructor(private readonly parts: ProjectorParts) {
    this.#writer = new ReadModelWriter(parts.pool);
  }

  async start(): Promise<void> {
    this.#follow(await this.#writer.checkpoint());
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop();
    this.#waiters.release();
  }

  /** Waits until the read models show what stands at `position`. False when they are too slow: the money is safe. */
  reached(position: number): Promise<boolean> {
    if (position <= this.#position) return Promise.resolve(true);
    return this.#waiters.wait(position, LIMITS.payments.readModelWaitMs);
  }

  #follow(after: number): void {
    const { store, logger } = this.parts;
    this.#position = after;
    this.#subscription = store.subscribe({
      streamPrefixes: LEDGER_PREFIXES,
      after,
      batchSize: LIMITS.eventStore.eventsPerRead,
      handle: (events, upTo) => this.#project(events, upTo),
      onError: (err) => logger.error({ err }, 'the read models cannot be written, the same events come again'),
    });
  }

  async #project(events: readonly StoredEvent[], upTo: number): Promise<void> {
    while (this.#position < upTo) {
      const left = events.filter(({ position }) => position > this.#position);
      const changes = await this.#changes(left);
      try {
        await this.#writer.write(changes, this.#position, upTo);
        this.#position = upTo;
      } catch (error) {
        await this.#goToCheckpoint(error);
      }
    }
    this.#waiters.passed(this.#position);
  }

  /**
   * Further on: our own commit's answer was lost, or another projector was faster. Further back: the database was
   * restored, or lost its last transactions in a crash, rows and checkpoint together; they are to be written again.
   */
  async #goToCheckpoint(error: unknown): Promise<void> {
    const checkpoint = await this.#writer.checkpoint();
    if (checkpoint > this.#position) {
      this.#position = checkpoint;
      return;
    }
    if (checkpoint < this.#position) {
      // Not awaited: this runs within the batch that it would wait for.
      void this.#subscription?.stop();
      this.#follow(checkpoint);
    }
    throw error;
  }

  async #changes(events: readonly StoredEvent[]): Promise<ReadModelChanges> {
    const earlier = begunEarlier(events);
    const fold = new BatchFold(earlier.length === 0 ? [] : await this.#before(earlier, events[0]?.position ?? 0));
    for (const event of events) fold.add(event);
    const begun: PaymentChange[] = [];
    const changed: PaymentChange[] = [];
    const work: OpenWork[] = [];
    const nowUs = this.parts.clock.nowUs();
    for (const touched of fold.payments.values()) {
      if (!existing(touched)) continue;
      const change = { shown: shownPayment(touched.paymentId, touched.payment), revision: touched.revision };
      (touched.isNew ? begun : changed).push(change);
      const open = openWorkOf(transferOf(touched), nowUs);
      if (open !== null) work.push(open);
    }
    return { begun, changed, walletLines: fold.walletLines, feeLines: fold.feeLines, work };
  }

  /** The payments as they were before `position`: from their own streams, and their steps from the journal. */
  async #before(paymentIds: readonly string[], position: number): Promise<TouchedPayment[]> {
    const payments = new Map<string, TouchedPayment>();
    await inLanes(paymentIds, LIMITS.payments.projectorReads, async (paymentId) => {
      payments.set(paymentId, await this.#paymentBefore(paymentId, position));
    });
    const { pool } = this.parts;
    const { rows } = await pool.query<StepColumns & { payment_id: string; wallet_id: string }>({
      ...STEPS_OF_PAYMENTS,
      values: [paymentIds],
    });
    for (const row of rows) {
      const steps = payments.get(row.payment_id)?.steps;
      steps?.set(row.wallet_id, evolveSteps(steps.get(row.wallet_id) ?? NO_STEPS, stepFactOf(row)));
    }
    await this.#findRefunds([...payments.values()]);
    return [...payments.values()];
  }

  async #paymentBefore(paymentId: string, position: number): Promise<TouchedPayment> {
    const stored = await this.parts.store.readStream(paymentStream(paymentId), WHOLE_PAYMENT);
    const before = stored.filter((event) => event.position < position);
    const payment = before.map(readPaymentEvent).reduce(evolvePayment, NO_PAYMENT as PaymentState);
    return { ...untouched(paymentId), payment, revision: before.at(-1)?.revision ?? -1 };
  }

  async #findRefunds(payments: readonly TouchedPayment[]): Promise<void> {
    const refunds = new Map<string, TouchedPayment>();
    for (const touched of payments) {
      const { payment } = touched;
      if ((payment.status === 'cancelled' || payment.status === 'expired') && payment.refundId !== null) {
        refunds.set(payment.refundId, touched);
      }
    }
    if (refunds.size === 0) return;
    const { rows } = await this.parts.pool.query<{ id: string }>({
      ...WRITTEN_PAYMENTS,
      values: [[...refunds.keys()]],
    });
    for (const { id } of rows) {
      const touched = refunds.get(id);
      if (touched !== undefined) touched.isRefundWritten = true;
    }
  }
}
