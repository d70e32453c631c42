import { LIMITS } from '@settle/config';
import { SettleError, type Topic } from '@settle/contracts';
import type { MessageBus } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool, PoolClient } from 'pg';
import { OUTBOX_CHANNEL } from './outbox.js';
import { Pauses } from './pauses.js';

const { rowsPerBatch, pollMs, retryPauseMinMs, retryPauseMaxMs, waiterPollMs, stopWaitMs } = LIMITS.outbox;

/** Advisory locks are one database's own, so every service can use the same number. */
const PUBLISHER_LOCK = 7_155_001;

interface OutboxRow {
  readonly id: string;
  readonly topic: Topic;
  readonly pattern: string;
  readonly key: string;
  readonly payload: object | null;
}

export interface OutboxPublisherOptions {
  /** One of its connections is kept as long as the publisher runs. */
  readonly pool: Pool;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly logger: Logger;
}

/**
 * Publishes the rows of `outbox` at least once, each key's in order, and deletes a row when its publish resolved.
 * Of all instances one publishes at a time: whoever holds the advisory lock of the database's publisher session.
 * A session that is lost in mid-publish may be followed by a second delivery, so records carry a version.
 */
export class OutboxPublisher {
  readonly #running: Promise<void>;
  readonly #waiters = new Set<() => void>();
  readonly #pauses = new Pauses();
  #woken = false;
  #abandon: (reason: Error) => void = () => undefined;
  #failuresInARow = 0;

  constructor(private readonly options: OutboxPublisherOptions) {
    this.#running = this.#run();
  }

  /** Lets the running batch end, within bounds; begins none afterwards. What was not taken stays for the next start. */
  async stop(): Promise<void> {
    this.#pauses.end();
    const timer = setTimeout(() => this.#abandon(new Error('The outbox publisher was stopped')), stopWaitMs);
    await this.#running;
    clearTimeout(timer);
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
    while (!this.#pauses.hasEnded) {
      try {
        await this.#holdSession();
      } catch (error) {
        await this.#pauseAfter(error);
      }
    }
  }

  /** One connection: listens for commits, competes for the lock, publishes while it holds it. */
  async #holdSession(): Promise<void> {
    const client = await this.options.pool.connect();
    let lost: Error | undefined;
    client.on('notification', () => this.#wake());
    client.on('error', (error) => {
      lost = error;
      this.#wake();
    });
    try {
      await client.query(`listen ${OUTBOX_CHANNEL}`);
      let holdsLock = false;
      while (!this.#pauses.hasEnded) {
        if (lost) throw lost;
        this.#woken = false;
        holdsLock ||= await tryLock(client);
        if (holdsLock) await this.#drain(client);
        this.#failuresInARow = 0;
        if (!this.#woken) await this.#pauses.pause(pollMs);
      }
    } finally {
      // Ends the session, and with it the lock and the listening.
      client.release(true);
    }
  }

  async #drain(client: PoolClient): Promise<void> {
    for (let full = true; full && !this.#pauses.hasEnded;) {
      const batch = await client.query<OutboxRow>(
        'select id, topic, pattern, key, payload from outbox order by id limit $1',
        [rowsPerBatch],
      );
      if (batch.rows.length === 0) return;
      await this.#publishBatch(client, batch.rows);
      this.#failuresInARow = 0;
      full = batch.rows.length === rowsPerBatch;
    }
  }

  /** Keys go out side by side, each key's events one after the other; what was refused stays, with what follows it. */
  async #publishBatch(client: PoolClient, rows: readonly OutboxRow[]): Promise<void> {
    const published: string[] = [];
    const abandoned = new Promise<never>((_, reject) => (this.#abandon = reject));
    const chains = [...byKey(rows).values()].map(async (chain) => {
      for (const { id, ...event } of chain) {
        await Promise.race([this.options.bus.publish(event), abandoned]);
        published.push(id);
      }
    });
    const outcomes = await Promise.allSettled(chains);
    if (published.length > 0) await client.query('delete from outbox where id = any($1::bigint[])', [published]);
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

async function tryLock(client: PoolClient): Promise<boolean> {
  const answer = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [PUBLISHER_LOCK]);
  return answer.rows[0]?.held === true;
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
