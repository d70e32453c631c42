import { LIMITS } from '@settle/config';
import { SettleError, type Topic } from '@settle/contracts';
import type { MessageBus } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { Lease } from './lease.js';
import { Listener } from './listener.js';
import { OUTBOX_CHANNEL } from './outbox.js';
import { Pauses } from './pauses.js';

const { rowsPerBatch, pollMs, retryPauseMinMs, retryPauseMaxMs, waiterPollMs, stopWaitMs, answerMs } = LIMITS.outbox;

/** Known to pg, though not to its types. */
const ANSWER_IN_TIME = { query_timeout: answerMs };
const READ_BATCH = {
  name: 'outbox-batch',
  text: 'select id, topic, pattern, key, payload from outbox order by id limit $1',
  ...ANSWER_IN_TIME,
};
const DELETE_ROWS = {
  name: 'outbox-published',
  text: 'delete from outbox where id = any($1::bigint[])',
  ...ANSWER_IN_TIME,
};

interface OutboxRow {
  readonly id: string;
  readonly topic: Topic;
  readonly pattern: string;
  readonly key: string;
  readonly payload: object | null;
}

export interface OutboxPublisherOptions {
  /** Of a database with the tables `outbox` and `leases`; one of its connections is kept while the publisher runs. */
  readonly pool: Pool;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly logger: Logger;
  /** As a lease's: no other process can be at work. */
  readonly isOnlyInstance: boolean;
}

/**
 * Publishes the rows of `outbox` at least once, each key's in order, and deletes a row when its publish resolved.
 * Of all instances one publishes at a time, the holder of the lease `outbox`; one that froze is replaced within 2 s.
 * A holder that loses the lease in mid-publish may deliver a record a second time and late, so records carry a version.
 */
export class OutboxPublisher {
  readonly #lease: Lease;
  readonly #listener: Listener;
  readonly #running: Promise<void>;
  readonly #waiters = new Set<() => void>();
  readonly #pauses = new Pauses();
  #woken = false;
  #abandon: (reason: Error) => void = () => undefined;
  #failuresInARow = 0;

  constructor(private readonly options: OutboxPublisherOptions) {
    const { pool, logger, isOnlyInstance } = options;
    const wake = () => this.#wake();
    this.#lease = new Lease({ pool, name: 'outbox', logger, isOnlyInstance, onHeld: wake, onLost: () => undefined });
    this.#listener = new Listener({
      pool,
      channel: OUTBOX_CHANNEL,
      onNotification: wake,
      onListening: wake,
      onError: (err) => logger.warn({ err }, 'commits do not wake the outbox publisher, listening again'),
    });
    this.#running = this.#run();
  }

  /** Lets the running batch end, within bounds; begins none afterwards. What was not taken stays for the next start. */
  async stop(): Promise<void> {
    this.#pauses.end();
    const timer = setTimeout(() => this.#abandon(new Error('The outbox publisher was stopped')), stopWaitMs);
    await this.#running;
    clearTimeout(timer);
    await this.#listener.stop();
    await this.#lease.stop();
  }

  /**
   * Waits until nothing is left to publish under these keys (absent: at all), by whichever instance.
   * Errors: `outcome_unknown` after `timeoutMs`: the rows are stored and go out later.
   */
  async untilPublished(timeoutMs: number, keys?: readonly string[]): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs;
    while (await this.#isWaiting(keys)) {
      if (performance.now() >= deadlineMs) {
        throw new SettleError('outcome_unknown', 'The change is stored and takes effect shortly.');
      }
      await this.#nextPass(Math.min(waiterPollMs, deadlineMs - performance.now()));
    }
  }

  async #isWaiting(keys?: readonly string[]): Promise<boolean> {
    const found = keys
      ? await this.options.pool.query('select from outbox where key = any($1) limit 1', [keys])
      : await this.options.pool.query('select from outbox limit 1');
    return found.rowCount !== 0;
  }

  #nextPass(atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(atMostMs, 0));
      this.#waiters.add(done);
    });
  }

  async #run(): Promise<void> {
    await this.#lease.start();
    while (!this.#pauses.hasEnded) {
      this.#woken = false;
      try {
        await this.#drain();
        this.#failuresInARow = 0;
        if (!this.#woken) await this.#pauses.pause(pollMs);
      } catch (error) {
        await this.#pauseAfter(error);
      }
    }
  }

  async #drain(): Promise<void> {
    for (let full = true; full && this.#lease.isHeld && !this.#pauses.hasEnded;) {
      const { rows } = await this.options.pool.query<OutboxRow>({ ...READ_BATCH, values: [rowsPerBatch] });
      if (rows.length === 0) return;
      await this.#publishBatch(rows);
      this.#failuresInARow = 0;
      full = rows.length === rowsPerBatch;
    }
  }

  /** Keys go out side by side, each key's events one after the other; what was refused stays, with what follows it. */
  async #publishBatch(rows: readonly OutboxRow[]): Promise<void> {
    const published: string[] = [];
    const abandoned = new Promise<never>((_, reject) => (this.#abandon = reject));
    const chains = [...byKey(rows).values()].map(async (chain) => {
      for (const { id, ...event } of chain) {
        // A process that was frozen wakes up here: another may have published a later record of this key by now.
        if (!this.#lease.isHeld) return;
        await Promise.race([this.options.bus.publish(event), abandoned]);
        published.push(id);
      }
    });
    const outcomes = await Promise.allSettled(chains);
    if (published.length > 0) await this.options.pool.query({ ...DELETE_ROWS, values: [published] });
    for (const waiter of [...this.#waiters]) waiter();
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    if (refused) throw refused.reason;
  }

  async #pauseAfter(error: unknown): Promise<void> {
    if (this.#pauses.hasEnded) return;
    const pauseMs = Math.min(retryPauseMinMs * 2 ** this.#failuresInARow, retryPauseMaxMs);
    this.#failuresInARow += 1;
    this.options.logger.warn({ err: error, pauseMs }, 'publishing from the outbox failed, trying again');
    await this.#pauses.pause(pauseMs);
  }

  #wake(): void {
    this.#woken = true;
    // A pause after a failure is not cut short: busy writers must not hammer a bus that refuses.
    if (this.#failuresInARow === 0) this.#pauses.cut();
  }
}

function byKey(rows: readonly OutboxRow[]): Map<string, OutboxRow[]> {
  const chains = new Map<string, OutboxRow[]>();
  for (const row of rows) {
    const key = `${row.topic} ${row.key}`;
    const chain = chains.get(key);
    if (chain) chain.push(row);
    else chains.set(key, [row]);
  }
  return chains;
}
