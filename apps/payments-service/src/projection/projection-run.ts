import { LIMITS } from '@settle/config';
import type { EventStore, StoredEvent, Subscription } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { Clock } from '../shared/clock.js';
import { EarlierPayments } from './earlier-payments.js';
import { BatchFold, earlierPaymentIds, hasRow, transferOf } from './batch-fold.js';
import { LEDGER_PREFIXES } from '../storage/streams.js';
import { openWorkOf, type OpenWork } from '../read-models/open-work/open-work.js';
import { hasReplacedText, paymentRowOf } from '../read-models/payments/payment-row.js';
import { storableText } from '../shared/storable-text.js';
import { ReadModelWriter, type PaymentChange, type ReadModelChanges } from './read-model-writer.js';

export interface ProjectionDependencies {
  readonly store: Pick<EventStore, 'readStream' | 'subscribe'>;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
  /** Channel on which instances notify each other of the position of the read models. */
  readonly progressChannel: string;
}

export interface ProjectionRunOptions extends Omit<ProjectionDependencies, 'isOnlyInstance' | 'progressChannel'> {
  /** Channel that notifies other instances of the new position; null if there are none. */
  readonly progressChannel: string | null;
  /** Fencing token of the lease: larger than that of every earlier run. */
  readonly fence: number;
  /** Called with each new position of the read models; an earlier one after the database lost rows. */
  readonly onPosition: (position: number) => void;
  /** Called with the number of payments whose texts were stored with replaced characters. */
  readonly onReplaced: (payments: number) => void;
}

/** Another instance has the lease or has had it since. */
class FencedOut extends Error {
  constructor() {
    super('Another instance writes the read models');
    this.name = 'FencedOut';
  }
}

/** Projects the ledger's events into the read models from their checkpoint on, until it is stopped or fenced out. */
export class ProjectionRun {
  readonly #writer: ReadModelWriter;
  readonly #earlier: EarlierPayments;
  readonly #starting: Promise<void>;
  #subscription: Subscription | null = null;
  #isStopped = false;
  #position = 0;
  /** When the batch in progress arrived, by `performance.now()`; null if there is none. */
  #batchSinceMs: number | null = null;

  constructor(private readonly options: ProjectionRunOptions) {
    const { pool, store, fence, progressChannel } = options;
    this.#writer = new ReadModelWriter({ pool, fence, progressChannel });
    this.#earlier = new EarlierPayments(store, pool);
    this.#starting = this.#start();
  }

  /** Milliseconds since the batch in progress arrived, failed attempts included; 0 if there is none. */
  get behindMs(): number {
    return this.#batchSinceMs === null ? 0 : performance.now() - this.#batchSinceMs;
  }

  /** Resolves when no write is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#starting;
    await this.#subscription?.stop();
    this.#writer.close();
  }

  async #start(): Promise<void> {
    const { retryPauseMinMs, retryPauseMaxMs } = LIMITS.eventStore;
    for (let pauseMs: number = retryPauseMinMs; !this.#isStopped; pauseMs = Math.min(pauseMs * 2, retryPauseMaxMs)) {
      try {
        const checkpoint = await this.#writer.claimCheckpoint();
        if (checkpoint === null) throw new FencedOut();
        if (!this.#isStopped) this.#follow(checkpoint);
        return;
      } catch (err) {
        this.options.logger.error({ err }, 'checkpoint of the read models not claimed; retrying');
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  #follow(after: number): void {
    const { store, logger, onPosition } = this.options;
    this.#position = after;
    this.#batchSinceMs = null;
    onPosition(after);
    this.#subscription = store.subscribe({
      streamPrefixes: LEDGER_PREFIXES,
      after,
      batchSize: LIMITS.eventStore.eventsPerRead,
      progressAfterMs: LIMITS.payments.checkpointAfterMs,
      handle: (events, upTo) => this.#project(events, upTo),
      onError: (err) => {
        if (err instanceof FencedOut) logger.warn('another instance writes the read models; this one stops');
        else logger.error({ err }, 'read models not written; retrying with the same events');
      },
    });
  }

  async #project(events: readonly StoredEvent[], upTo: number): Promise<void> {
    this.#batchSinceMs ??= performance.now();
    while (this.#position < upTo) {
      const left = events.filter(({ position }) => position > this.#position);
      const { changes, fold, replacedIds } = await this.#changes(left);
      try {
        await this.#writer.write(changes, this.#position, upTo, left.at(-1) ?? null);
        this.#position = upTo;
        this.#reportReplaced(replacedIds);
        const open = new Set(changes.work.map(({ paymentId }) => paymentId));
        this.#earlier.recordWritten(fold.payments.values(), (paymentId) => open.has(paymentId));
      } catch (error) {
        this.#earlier.clear();
        await this.#goToCheckpoint(error);
      }
    }
    this.#batchSinceMs = null;
    this.options.onPosition(this.#position);
  }

  #reportReplaced(paymentIds: readonly string[]): void {
    const { logger, onReplaced } = this.options;
    if (paymentIds.length === 0) return;
    onReplaced(paymentIds.length);
    logger.warn(
      { paymentIds },
      'texts of payments have characters that the read models cannot store; replaced by U+FFFD',
    );
  }

  /**
   * Continues at the checkpoint after a failed write. It is ahead if the response to a commit was lost, or if this process
   * held the lease before and was still writing. It is behind if the database was restored or lost its last transactions in
   * a crash, rows and checkpoint together: these events are projected again.
   */
  async #goToCheckpoint(error: unknown): Promise<void> {
    const checkpoint = await this.#writer.claimCheckpoint();
    if (checkpoint !== null && checkpoint > this.#position) {
      this.#position = checkpoint;
      return;
    }
    if (checkpoint === this.#position) throw error;
    // Not awaited: stopping waits for the batch in which this runs.
    void this.#subscription?.stop();
    if (checkpoint === null) throw new FencedOut();
    if (!this.#isStopped) this.#follow(checkpoint);
    throw error;
  }

  async #changes(
    events: readonly StoredEvent[],
  ): Promise<{ changes: ReadModelChanges; fold: BatchFold; replacedIds: readonly string[] }> {
    const earlier = earlierPaymentIds(events);
    const known = earlier.length === 0 ? [] : await this.#earlier.loadBefore(earlier, events[0]?.position ?? 0);
    const fold = new BatchFold(known);
    for (const event of events) fold.add(event);
    const created: PaymentChange[] = [];
    const changed: PaymentChange[] = [];
    const earlierIds: string[] = [];
    const replacedIds: string[] = [];
    const work: OpenWork[] = [];
    const nowUs = this.options.clock.nowUs();
    for (const touched of fold.payments.values()) {
      if (!hasRow(touched)) continue;
      const { paymentId, payment, revision } = touched;
      const change = { row: paymentRowOf(paymentId, payment), appId: storableText(payment.facts.appId), revision };
      if (touched.isNew) {
        created.push(change);
        if (hasReplacedText(touched.payment, change.row)) replacedIds.push(touched.paymentId);
      } else {
        earlierIds.push(touched.paymentId);
        if (touched.isChanged) changed.push(change);
      }
      const open = openWorkOf(transferOf(touched), nowUs);
      if (open !== null) work.push(open);
    }
    const changes = { created, changed, earlierIds, walletLines: fold.walletLines, feeLines: fold.feeLines, work };
    return { changes, fold, replacedIds };
  }
}
