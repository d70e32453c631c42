import { retry } from '@settle/concurrency';
import { newestSecret } from '@settle/config';
import { Socket } from 'node:net';
import pg from 'pg';
import { CLOCK_READING, DatabaseClock } from './database-clock.js';
import { isLockTimeout, isPastDeadline } from './append-errors.js';
import type { EventStoreLimits } from './limits.js';
import { LogContinuity, LogRegression, verifyLogContinuity } from './log-continuity.js';
import { endStalledAppend } from './stalled-append.js';

/** The connection for appends. It is opened on demand and opened again after it is lost. */
export class AppendConnection {
  /** The clock of the connected server. */
  readonly clock = new DatabaseClock();
  #client: pg.Client | null = null;
  #socket: Socket | null = null;

  constructor(
    private readonly url: string,
    private readonly limits: EventStoreLimits,
    private readonly continuity: LogContinuity = new LogContinuity(),
  ) {}

  /**
   * Returns the open connection, with a recent reading of its clock. Retries until `giveUpAtMs` (on the clock of
   * `performance.now()`), then rejects with the last error.
   */
  async getClient(giveUpAtMs: number): Promise<pg.Client> {
    if (this.#client !== null && !this.clock.isStale(performance.now())) return this.#client;
    const connect = async () => {
      const client = this.#client ?? (await this.#open(giveUpAtMs));
      if (this.clock.isStale(performance.now())) await this.#readClock(client);
      return client;
    };
    return retry(connect, {
      minPauseMs: this.limits.reconnectPauseMinMs,
      maxPauseMs: this.limits.reconnectPauseMaxMs,
      giveUpAtMs,
      isRetryable: (error) => !(error instanceof LogRegression),
      onError: () => this.drop(),
    });
  }

  /**
   * Removes the cause of a rejected append if possible: ends a session that holds the append lock and waits for its
   * client, or discards an outdated clock reading. Returns whether the append can be sent again.
   */
  async recover(error: unknown, giveUpAtMs: number): Promise<boolean> {
    if (isLockTimeout(error) && this.#client !== null) return endStalledAppend(this.#client, this.limits);
    if (!isPastDeadline(error) || performance.now() >= giveUpAtMs - this.limits.reconnectPauseMinMs) return false;
    this.clock.reset();
    return true;
  }

  /** Closes the connection abruptly; pending queries fail. */
  drop(): void {
    this.#client = null;
    this.#socket?.destroy();
    this.#socket = null;
  }

  async end(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  async #open(giveUpAtMs: number): Promise<pg.Client> {
    const { connectTimeoutMs } = this.limits;
    const socket = new Socket();
    this.#socket = socket;
    const client = new pg.Client({
      connectionString: newestSecret(this.url),
      application_name: 'settle-append',
      keepAlive: true,
      connectionTimeoutMillis: Math.max(1, Math.min(connectTimeoutMs, giveUpAtMs - performance.now())),
      stream: () => socket,
    });
    client.on('error', () => this.#forget(client));
    client.on('end', () => this.#forget(client));
    await client.connect();
    await client.query(buildSessionSettings(this.limits));
    await verifyLogContinuity(client, this.continuity);
    this.clock.reset();
    this.#client = client;
    return client;
  }

  async #readClock(client: pg.Client): Promise<void> {
    const sentAtMs = performance.now();
    const { rows } = await client.query<{ ms: string }>(`select ${CLOCK_READING} as ms`);
    this.clock.addReading(Number(rows[0]?.ms), sentAtMs, performance.now());
  }

  #forget(client: pg.Client): void {
    if (this.#client === client) this.#client = null;
  }
}

/**
 * Returns the settings of the session. It holds a lock that all writers need, so all its waits have timeouts. The server
 * has no timeout for the rest of a message: there, TCP settings let it detect a dead client.
 */
function buildSessionSettings(limits: EventStoreLimits): string {
  const settings = {
    synchronous_commit: 'on',
    lock_timeout: limits.appendLockMs,
    statement_timeout: limits.appendStatementMs,
    tcp_keepalives_idle: Math.ceil(limits.keepAliveIdleMs / 1_000),
    tcp_keepalives_interval: Math.ceil(limits.keepAliveEveryMs / 1_000),
    tcp_keepalives_count: limits.keepAliveTries,
    tcp_user_timeout: limits.unacknowledgedMs,
  };
  return Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${value}`)
    .join('; ');
}
