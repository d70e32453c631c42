import { PeriodicTask } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Pool, PoolClient } from 'pg';

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
  readonly #task: PeriodicTask;
  #client: PoolClient | null = null;

  constructor(private readonly options: ListenerOptions) {
    this.#task = new PeriodicTask({
      run: () => this.#check(),
      everyMs: listenCheckEveryMs,
      retryMinMs: listenRetryPauseMinMs,
      retryMaxMs: listenRetryPauseMaxMs,
      onError: options.onError,
    });
    this.#task.start();
  }

  async stop(): Promise<void> {
    await this.#task.stop();
    this.#disconnect();
  }

  async #check(): Promise<void> {
    try {
      this.#client ??= await this.#connect();
      // A dead network connection reports no error: only a query detects it.
      await this.#client.query('select');
    } catch (error) {
      this.#disconnect();
      throw error;
    }
  }

  async #connect(): Promise<PoolClient> {
    const { pool, channel, onNotification, onListening } = this.options;
    const client = await pool.connect();
    client.on('notification', ({ payload = '' }) => onNotification(payload));
    client.on('end', () => this.#task.wake());
    try {
      await client.query(`listen ${channel}`);
    } catch (error) {
      client.release(true);
      throw error;
    }
    onListening();
    return client;
  }

  #disconnect(): void {
    this.#client?.release(true);
    this.#client = null;
  }
}
