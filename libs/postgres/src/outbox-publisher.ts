import { PeriodicTask, sleep, type RunOutcome } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError, type Topic } from '@settle/contracts';
import type { MessageBus } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { Lease } from './lease.js';
import { Listener } from './listener.js';
import { OUTBOX_CHANNEL } from './outbox.js';

const { rowsPerBatch, pollMs, retryPauseMinMs, retryPauseMaxMs, waiterPollMs, stopWaitMs, answerMs } = LIMITS.outbox;

/** `pg` supports this option, although its types lack it. */
const QUERY_TIMEOUT = { query_timeout: answerMs };
const READ_BATCH = {
  name: 'outbox-batch',
  text: 'select id, topic, pattern, key, payload from outbox order by id limit $1',
  ...QUERY_TIMEOUT,
};
const DELETE_ROWS = {
  name: 'outbox-published',
  text: 'delete from outbox where id = any($1::bigint[])',
  ...QUERY_TIMEOUT,
};

interface OutboxRow {
  readonly id: string;
  readonly topic: Topic;
  readonly pattern: string;
  readonly key: string;
  readonly payload: object | null;
}

export interface OutboxPublisherOptions {
  /** Pool of a database with the tables `outbox` and `leases`; the publisher occupies one connection while it runs. */
  readonly pool: Pool;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly logger: Logger;
  /** Whether no other process can run, as in `LeaseOptions`. */
  readonly isOnlyInstance: boolean;
}

/**
 * Publishes the rows of `outbox` at least once, in order per key, and deletes each row after its publication.
 * One instance publishes at a time, the holder of the lease `outbox`; a frozen holder is replaced within 3 s.
 * A holder that loses the lease while it publishes may deliver a record late and twice, so records have a version.
 */
export class OutboxPublisher {
  readonly #lease: Lease;
  readonly #listener: Listener;
  readonly #task: PeriodicTask;
  readonly #starting: Promise<void>;
  /** Aborts when the next batch has been published. */
  #batchEnd = new AbortController();
  #abortBatch: (reason: Error) => void = () => undefined;

  constructor(private readonly options: OutboxPublisherOptions) {
    const { pool, logger, isOnlyInstance } = options;
    this.#task = new PeriodicTask({
      run: () => this.#publishNext(),
      everyMs: pollMs,
      retryMinMs: retryPauseMinMs,
      retryMaxMs: retryPauseMaxMs,
      onError: (err, pauseMs) =>
        logger.warn({ err, pauseMs }, 'publishing from the outbox failed; retrying after a pause'),
    });
    const wake = () => this.#task.wake();
    this.#lease = new Lease({ pool, name: 'outbox', logger, isOnlyInstance, onHeld: wake, onLost: () => undefined });
    this.#listener = new Listener({
      pool,
      channel: OUTBOX_CHANNEL,
      onNotification: wake,
      onListening: wake,
      onError: (err) => logger.warn({ err }, 'outbox publisher stopped listening for commits; reconnecting'),
    });
    this.#starting = this.#lease.start().then(() => this.#task.start());
  }

  /** Starts no further batch and waits for the current one, at most `stopWaitMs`. Unpublished rows stay in the table. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#abortBatch(new Error('The outbox publisher was stopped')), stopWaitMs);
    await Promise.all([this.#task.stop(), this.#starting]);
    clearTimeout(timer);
    await this.#listener.stop();
    await this.#lease.stop();
  }

  /**
   * Waits until any instance has published all rows with these keys; without keys, all rows.
   * Error: `outcome_unknown` after `timeoutMs`; the rows are stored and are published later.
   */
  async waitUntilPublished(timeoutMs: number, keys?: readonly string[]): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs;
    while (await this.#hasPendingRows(keys)) {
      if (performance.now() >= deadlineMs) {
        throw new SettleError('outcome_unknown', 'The change is stored and takes effect shortly.');
      }
      await sleep(Math.min(waiterPollMs, deadlineMs - performance.now()), this.#batchEnd.signal);
    }
  }

  async #hasPendingRows(keys?: readonly string[]): Promise<boolean> {
    const found = keys
      ? await this.options.pool.query('select from outbox where key = any($1) limit 1', [keys])
      : await this.options.pool.query('select from outbox limit 1');
    return found.rowCount !== 0;
  }

  async #publishNext(): Promise<RunOutcome> {
    if (!this.#lease.isHeld) return undefined;
    const { rows } = await this.options.pool.query<OutboxRow>({ ...READ_BATCH, values: [rowsPerBatch] });
    if (rows.length > 0) await this.#publishBatch(rows);
    return rows.length === rowsPerBatch ? 'repeat' : undefined;
  }

  /** Publishes the keys concurrently and the rows of a key in order. A rejected row and the later rows of its key stay. */
  async #publishBatch(rows: readonly OutboxRow[]): Promise<void> {
    const published: string[] = [];
    const aborted = new Promise<never>((_, reject) => (this.#abortBatch = reject));
    const rowsByKey = Map.groupBy(rows, ({ topic, key }) => `${topic} ${key}`);
    const groups = [...rowsByKey.values()].map(async (group) => {
      for (const { id, ...event } of group) {
        // A frozen process resumes here: another instance may have published a later record of this key.
        if (!this.#lease.isHeld) return;
        await Promise.race([this.options.bus.publish(event), aborted]);
        published.push(id);
      }
    });
    const outcomes = await Promise.allSettled(groups);
    if (published.length > 0) await this.options.pool.query({ ...DELETE_ROWS, values: [published] });
    this.#batchEnd.abort();
    this.#batchEnd = new AbortController();
    const rejected = outcomes.find((outcome) => outcome.status === 'rejected');
    if (rejected) throw rejected.reason;
  }
}
