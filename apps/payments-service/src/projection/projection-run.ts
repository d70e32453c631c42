import { LIMITS } from '@settle/config';
import type { EventStore, StoredEvent, Subscription } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { Clock } from '../shared/clock.js';
import { EarlierPayments } from './earlier-payments.js';
import { BatchFold, begunEarlier, existing, transferOf } from './batch-fold.js';
import { LEDGER_PREFIXES } from '../storage/streams.js';
import { openWorkOf, type OpenWork } from '../read-models/open-work/open-work.js';
import { hasReplacedText, shownPayment } from '../read-models/payments/shown-payment.js';
import { storableText } from '../shared/storable-text.js';
import { ReadModelWriter, type PaymentChange, type ReadModelChanges } from './read-model-writer.js';

export interface ProjectionParts {
  readonly store: Pick<EventStore, 'readStream' | 'subscribe'>;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
  /** On which instances tell each other how far the read models have come. */
  readonly progressChannel: string;
}

export interface ProjectionRunOptions extends Omit<ProjectionParts, 'isOnlyInstance' | 'progressChannel'> {
  /** The channel on which others hear how far the read models have come; null: nobody waits for them. */
  readonly tellsOthersOn: string | null;
  /** Of the lease: larger than that of every run before. */
  readonly fence: number;
  /** Told how far the read models have come, each time; further back as well, when the database has lost rows. */
  readonly onPosition: (position: number) => void;
  /** Told of payments with a text that was not stored as it is in their events, once their rows are written. */
  readonly onReplaced: (payments: number) => void;
}

/** Another instance has the lease, or had it meanwhile. */
class FencedOut extends Error {
  constructor() {
    super('Another instance writes the read models');
    this.name = 'FencedOut';
  }
}

/** Follows the ledger's events into the read models, from where it finds them, until it is stopped or fenced out. */
export class ProjectionRun {
  readonly #writer: ReadModelWriter;
  readonly #earlier: EarlierPayments;
  readonly #beginning: Promise<void>;
  #subscription: Subscription | null = null;
  #isStopped = false;
  #position = 0;
  /** Since when the batch is in hand that is being written; on the clock of `performance.now()`. */
  #inHandSinceMs: number | null = null;

  constructor(private readonly options: ProjectionRunOptions) {
    const { pool, store, fence, tellsOthersOn } = options;
    this.#writer = new ReadModelWriter({ pool, fence, tellsOthersOn });
    this.#earlier = new EarlierPayments(store, pool);
    this.#beginning = this.#begin();
  }

  /** How long the batch that is being written has been in hand, failed tries included; 0 when there is none. */
  get behindMs(): number {
    return this.#inHandSinceMs === null ? 0 : performance.now() - this.#inHandSinceMs;
  }

  /** Resolves when nothing is being written any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#beginning;
    await this.#subscription?.stop();
    this.#writer.close();
  }

  async #begin(): Promise<void> {
    const { retryPauseMinMs, retryPauseMaxMs } = LIMITS.eventStore;
    for (let pauseMs: number = retryPauseMinMs; !this.#isStopped; pauseMs = Math.min(pauseMs * 2, retryPauseMaxMs)) {
      try {
        const checkpoint = await this.#writer.claimCheckpoint();
        if (checkpoint === null) throw new FencedOut();
        if (!this.#isStopped) this.#follow(checkpoint);
        return;
      } catch (err) {
        this.options.logger.error({ err }, 'the read models cannot be gone on with, another try follows');
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  #follow(after: number): void {
    const { store, logger, onPosition } = this.options;
    this.#position = after;
    this.#inHandSinceMs = null;
    onPosition(after);
    this.#subscription = store.subscribe({
      streamPrefixes: LEDGER_PREFIXES,
      after,
      batchSize: LIMITS.eventStore.eventsPerRead,
      tellAfterMs: LIMITS.payments.checkpointAfterMs,
      handle: (events, upTo) => this.#project(events, upTo),
      onError: (err) => {
        if (err instanceof FencedOut) logger.warn('another instance writes the read models now');
        else logger.error({ err }, 'the read models cannot be written, the same events come again');
      },
    });
  }

  async #project(events: readonly StoredEvent[], upTo: number): Promise<void> {
    this.#inHandSinceMs ??= performance.now();
    while (this.#position < upTo) {
      const left = events.filter(({ position }) => position > this.#position);
      const { changes, fold, replacedIds } = await this.#changes(left);
      try {
        await this.#writer.write(changes, this.#position, upTo, left.at(-1) ?? null);
        this.#position = upTo;
        this.#reportReplaced(replacedIds);
        const open = new Set(changes.work.map(({ paymentId }) => paymentId));
        this.#earlier.written(fold.payments.values(), (paymentId) => open.has(paymentId));
      } catch (error) {
        this.#earlier.forget();
        await this.#goToCheckpoint(error);
      }
    }
    this.#inHandSinceMs = null;
    this.options.onPosition(this.#position);
  }

  #reportReplaced(paymentIds: readonly string[]): void {
    const { logger, onReplaced } = this.options;
    if (paymentIds.length === 0) return;
    onReplaced(paymentIds.length);
    logger.warn({ paymentIds }, 'texts of payments hold what the read models cannot store; replaced it by U+FFFD');
  }

  /**
   * Further on: our own commit's answer was lost, or this process held the lease before and was still writing. Further
   * back: the database was restored, or lost its last transactions in a crash, rows and checkpoint together; they are
   * to be written again.
   */
  async #goToCheckpoint(error: unknown): Promise<void> {
    const checkpoint = await this.#writer.claimCheckpoint();
    if (checkpoint !== null && checkpoint > this.#position) {
      this.#position = checkpoint;
      return;
    }
    if (checkpoint === this.#position) throw error;
    // Not awaited: this runs within the batch that it would wait for.
    void this.#subscription?.stop();
    if (checkpoint === null) throw new FencedOut();
    if (!this.#isStopped) this.#follow(checkpoint);
    throw error;
  }

  async #changes(
    events: readonly StoredEvent[],
  ): Promise<{ changes: ReadModelChanges; fold: BatchFold; replacedIds: readonly string[] }> {
    const earlier = begunEarlier(events);
    const known = earlier.length === 0 ? [] : await this.#earlier.before(earlier, events[0]?.position ?? 0);
    const fold = new BatchFold(known);
    for (const event of events) fold.add(event);
    const begun: PaymentChange[] = [];
    const changed: PaymentChange[] = [];
    const earlierIds: string[] = [];
    const replacedIds: string[] = [];
    const work: OpenWork[] = [];
    const nowUs = this.options.clock.nowUs();
    for (const touched of fold.payments.values()) {
      if (!existing(touched)) continue;
      const { paymentId, payment, revision } = touched;
      const change = { shown: shownPayment(paymentId, payment), appId: storableText(payment.facts.appId), revision };
      if (touched.isNew) {
        begun.push(change);
        if (hasReplacedText(touched.payment, change.shown)) replacedIds.push(touched.paymentId);
      } else {
        earlierIds.push(touched.paymentId);
        if (touched.isMoved) changed.push(change);
      }
      const open = openWorkOf(transferOf(touched), nowUs);
      if (open !== null) work.push(open);
    }
    const changes = { begun, changed, earlierIds, walletLines: fold.walletLines, feeLines: fold.feeLines, work };
    return { changes, fold, replacedIds };
  }
}
