import { Socket } from 'node:net';
import pg from 'pg';
import type { EventStoreLimits } from './limits.js';

/** The one connection that appends. It is opened when needed and opened again when it was lost. */
export class AppendConnection {
  #client: pg.Client | null = null;
  #socket: Socket | null = null;

  constructor(
    private readonly url: string,
    private readonly limits: EventStoreLimits,
  ) {}

  /** The open connection. Tries until `giveUpAtMs` (of `performance.now()`), then rejects with the last reason. */
  async client(giveUpAtMs: number): Promise<pg.Client> {
    let pauseMs = this.limits.reconnectPauseMinMs;
    for (;;) {
      if (this.#client !== null) return this.#client;
      try {
        return await this.#open(giveUpAtMs);
      } catch (error) {
        this.drop();
        if (performance.now() + pauseMs >= giveUpAtMs) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      pauseMs = Math.min(pauseMs * 2, this.limits.reconnectPauseMaxMs);
    }
  }

  /** Cuts the connection, and with it whatever waits for an answer. */
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
    const { connectTimeoutMs, appendStatementMs } = this.limits;
    const socket = new Socket();
    this.#socket = socket;
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'settle-append',
      keepAlive: true,
      connectionTimeoutMillis: Math.max(1, Math.min(connectTimeoutMs, giveUpAtMs - performance.now())),
      stream: () => socket,
    });
    client.on('error', () => this.#forget(client));
    client.on('end', () => this.#forget(client));
    await client.connect();
    await client.query(
      `set synchronous_commit = on; set lock_timeout = ${appendStatementMs}; set statement_timeout = ${appendStatementMs}`,
    );
    this.#client = client;
    return client;
  }

  #forget(client: pg.Client): void {
    if (this.#client === client) this.#client = null;
  }
}

/** Lost connections, a server that goes down, and failures of its disk or its own: the last can come at the commit. */
const OPEN_CODES = /^(08|57P|58|XX)/;
const ENDING = new Set(['FATAL', 'PANIC']);

/** Whether an error leaves open what the server did: the connection broke, or the server said that it ends it. */
export function leavesOutcomeOpen(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return ENDING.has(error.severity ?? '') || OPEN_CODES.test(error.code ?? '');
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

/** Why the store failed, in words that hold no address, statement or value. */
export function reasonOf(error: unknown): string {
  if (error instanceof pg.DatabaseError) return `the database answered ${error.code ?? 'an error'}`;
  return 'the database does not answer';
}
