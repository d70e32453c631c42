import { LIMITS } from '@settle/config';
import type { Pool } from 'pg';
import { StoppableDelay } from './stoppable-delay.js';

const { listenRetryPauseMinMs, listenRetryPauseMaxMs, listenCheckEveryMs } = LIMITS.postgres;

export interface ListenerOptions {
  /** The listener occupies one connection of the pool while it runs. */
  readonly pool: Pool;
  /** A constant, never user input. */
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
  /** Called when the listener starts to listen, also after a reconnect: it has missed earlier notifications. */
  readonly onListening: () => void;
  /** Called when the connection is lost or cannot be opened; the listener retries. */
  readonly onError: (error: unknown) => void;
}

/**
 * Receives the notifications of a channel over a dedicated connection, which it opens again when it is lost. It misses
 * notifications while disconnected, so they may only speed up work that polling would also find.
 */
export class Listener {
  readonly #running: Promise<void>;
  readonly #delay = new StoppableDelay();
  #isDisconnected = false;

  constructor(private readonly options: ListenerOptions) {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#delay.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    let pauseMs: number = listenRetryPauseMinMs;
    while (!this.#delay.isStopped) {
      try {
        await this.#listen(() => (pauseMs = listenRetryPauseMinMs));
      } catch (error) {
        if (!this.#delay.isStopped) this.options.onError(error);
      }
      await this.#delay.wait(pauseMs);
      pauseMs = Math.min(pauseMs * 2, listenRetryPauseMaxMs);
    }
  }

  /** Resolves when the listener is stopped; rejects when the connection is lost. */
  async #listen(onSuccess: () => void): Promise<void> {
    const { pool, channel, onNotification, onListening } = this.options;
    const client = await pool.connect();
    this.#isDisconnected = false;
    client.on('notification', ({ payload = '' }) => onNotification(payload));
    client.on('end', () => {
      this.#isDisconnected = true;
      this.#delay.interrupt();
    });
    try {
      await client.query(`listen ${channel}`);
      onSuccess();
      onListening();
      while (!this.#delay.isStopped) {
        // A dead network connection reports no error: only a query detects it.
        await client.query('select');
        if (!this.#isDisconnected) await this.#delay.wait(listenCheckEveryMs);
      }
    } finally {
      client.release(true);
    }
  }
}
