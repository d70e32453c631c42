import { eventually } from '@settle/testing';
import pg from 'pg';
import { databaseUrl, type Victim } from './running-stack.fixture.js';

/** `npm run test:faults` sets it: each kill several times, and in the stack, too, at every moment. */
export const isLong = process.env['FAULTS'] === 'long';
export const ROUNDS = isLong ? 5 : 1;

const WAITING_MS = 10_000;
const HELD_UP = `select distinct pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;

/**
 * What becomes of the statement that a killed service waits for. The server learns of its client's end only when it
 * answers it, and so carries the statement out, unless its session is ended before.
 */
export const FATES = ['undone', 'carried out'] as const;
export type Fate = (typeof FATES)[number];

/** A transaction in a service's own database that holds the service up half-way, as long as it is open. */
export class HoldUp {
  private constructor(private readonly client: pg.Client) {
    // The server may stop with the product: then no query is blocked any more.
    client.on('error', () => undefined);
  }

  /** Begins with a statement that locks what the service is about to write. */
  static async begin(service: 'auth' | 'payments', statement: string, values: unknown[] = []): Promise<HoldUp> {
    const client = new pg.Client(await databaseUrl(service));
    const holdUp = new HoldUp(client);
    await client.connect();
    await client.query('begin');
    await client.query(statement, values);
    return holdUp;
  }

  /** Kills the service once it waits, and lets go. */
  async kill(victim: Victim, fate: Fate): Promise<void> {
    try {
      await eventually(() => this.#expectWaiting(), { timeoutMs: WAITING_MS });
      await victim.kill();
      if (fate === 'undone') {
        await this.client.query(`select pg_terminate_backend(pid, ${WAITING_MS}) from (${HELD_UP}) held_up`);
      }
    } finally {
      await this.client.end();
    }
  }

  async #expectWaiting(): Promise<void> {
    if ((await this.client.query(HELD_UP)).rowCount === 0) throw new Error('No query is blocked.');
  }
}
