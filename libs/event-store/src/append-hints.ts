import { sleep } from '@settle/concurrency';
import { Listener } from '@settle/postgres';
import type pg from 'pg';
import { START } from './event-store.js';

const CHANNEL = 'settle_appended';

/**
 * Notifies the other processes on a log of its newest position, and receives their notifications. They are sent after the
 * commit on another connection: within the append, they would serialize the commits of all transactions. A lost hint
 * only delays a subscription, which also polls.
 */
export class AppendHints {
  #listener: Listener | null = null;
  #position = START;
  #publishing: Promise<void> | null = null;
  #isClosed = false;

  /** @param onStored called with the position of each hint of another process, and of this one, while listening */
  constructor(
    private readonly pool: pg.Pool,
    private readonly pauseMs: number,
    private readonly onStored: (position: number) => void,
  ) {}

  /** Announces that events up to `position` are stored. Several calls within a short time send one hint. */
  publish(position: number): void {
    this.#position = Math.max(this.#position, position);
    if (!this.#isClosed) this.#publishing ??= this.#publishPending();
  }

  /** Occupies one connection until `stopListening`. */
  listen(): void {
    this.#listener ??= new Listener({
      pool: this.pool,
      channel: CHANNEL,
      onNotification: (payload) => this.onStored(Number(payload)),
      onListening: () => undefined,
      onError: () => undefined,
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.stopListening(), this.#publishing]);
  }

  async stopListening(): Promise<void> {
    const listener = this.#listener;
    this.#listener = null;
    await listener?.stop();
  }

  async #publishPending(): Promise<void> {
    for (let publishedUpTo = START; publishedUpTo < this.#position && !this.#isClosed;) {
      publishedUpTo = this.#position;
      // The notification has its own transaction, which does not have to be durable.
      const sent = this.pool.query(`set local synchronous_commit = off; notify ${CHANNEL}, '${publishedUpTo}'`);
      await sent.catch(() => undefined);
      await sleep(this.pauseMs);
    }
    this.#publishing = null;
  }
}
