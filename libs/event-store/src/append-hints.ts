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
  readonly #subscribers = new Set<(position: number) => void>();
  #listener: Listener | null = null;
  #position = START;
  #publishing: Promise<void> | null = null;
  #isClosed = false;

  constructor(
    private readonly pool: pg.Pool,
    private readonly pauseMs: number,
  ) {}

  /** Announces that events up to `position` are stored. Several calls within a short time send one hint. */
  publish(position: number): void {
    this.#position = Math.max(this.#position, position);
    if (!this.#isClosed) this.#publishing ??= this.#publishPending();
  }

  /** @returns a function that unsubscribes; the last one closes the listening connection */
  subscribe(onStored: (position: number) => void): () => Promise<void> {
    this.#subscribers.add(onStored);
    this.#listener ??= new Listener({
      pool: this.pool,
      channel: CHANNEL,
      onNotification: (payload) => {
        for (const notify of this.#subscribers) notify(Number(payload));
      },
      onListening: () => undefined,
      onError: () => undefined,
    });
    return async () => {
      this.#subscribers.delete(onStored);
      if (this.#subscribers.size === 0) await this.#stopListening();
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#stopListening(), this.#publishing]);
  }

  async #stopListening(): Promise<void> {
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
