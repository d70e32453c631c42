import { LIMITS } from '@settle/config';
import type { Pool } from 'pg';
import { Pauses } from './pauses.js';

const { listenRetryPauseMinMs, listenRetryPauseMaxMs, listenCheckEveryMs } = LIMITS.postgres;

export interface ListenerOptions {
  /** One of its connections is kept as long as the listener runs. */
  readonly pool: Pool;
  /** A name of ours, never input. */
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
  /** It listens now, for the first time or again: what was said before has not been heard. */
  readonly onListening: () => void;
  /** The connection was lost or could not be had; another try follows. */
  readonly onError: (error: unknown) => void;
}

/**
 * Hears what `notify` says on a channel, over a connection of its own that is opened again when it was lost. Anything
 * said meanwhile is missed, so it may only make quick what would be found out anyway.
 */
export class Listener {
  readonly #running: Promise<void>;
  readonly #pauses = new Pauses();
  #isLost = false;

  constructor(private readonly options: ListenerOptions) {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#pauses.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    let pauseMs: number = listenRetryPauseMinMs;
    while (!this.#pauses.hasEnded) {
      try {
        await this.#listen(() => (pauseMs = listenRetryPauseMinMs));
      } catch (error) {
        if (!this.#pauses.hasEnded) this.options.onError(error);
      }
      await this.#pauses.pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, listenRetryPauseMaxMs);
    }
  }

  /** Returns when stopped; rejects when the connection is lost. */
  async #listen(onSuccess: () => void): Promise<void> {
    const { pool, channel, onNotification, onListening } = this.options;
    const client = await pool.connect();
    this.#isLost = false;
    client.on('notification', ({ payload = '' }) => onNotification(payload));
    client.on('end', () => {
      this.#isLost = true;
      this.#pauses.cut();
    });
    try {
      await client.query(`listen ${channel}`);
      onSuccess();
      onListening();
      while (!this.#pauses.hasEnded) {
        // A network that went away says nothing: only a question finds out.
        await client.query('select');
        if (!this.#isLost) await this.#pauses.pause(listenCheckEveryMs);
      }
    } finally {
      client.release(true);
    }
  }
}
