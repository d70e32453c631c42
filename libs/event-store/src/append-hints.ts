import { Listener } from '@settle/postgres';
import type pg from 'pg';
import { START } from './event-store.js';

const CHANNEL = 'settle_appended';

/**
 * Tells the other processes on a log how far it reaches, and hears it from them. Said after the commit and over
 * another connection: within the append it would make all appending transactions commit one after the other. A hint
 * that is lost costs time and nothing else, a subscription looks by itself now and then.
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

  /** Events up to `position` are stored. Several in a short time become one hint. */
  publish(position: number): void {
    this.#position = Math.max(this.#position, position);
    if (!this.#isClosed) this.#publishing ??= this.#publishPending();
  }

  /** @returns ends it; the connection that listens is closed with the last hearer */
  subscribe(onStored: (position: number) => void): () => Promise<void> {
    this.#subscribers.add(onStored);
    this.#listener ??= new Listener({
      pool: this.pool,
      channel: CHANNEL,
      onNotification: (payload) => {
        for (const hearer of this.#subscribers) hearer(Number(payload));
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
    for (let saidUpTo = START; saidUpTo < this.#position && !this.#isClosed;) {
      saidUpTo = this.#position;
      // A notification is a commit of its own, with nothing in it that must not be lost.
      const sent = this.pool.query(`set local synchronous_commit = off; notify ${CHANNEL}, '${saidUpTo}'`);
      await sent.catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, this.pauseMs));
    }
    this.#publishing = null;
  }
}
