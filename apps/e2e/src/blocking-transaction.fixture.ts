import { eventually } from '@settle/testing';
import pg from 'pg';
import { databaseUrl, type KillTarget } from './running-stack.fixture.js';

/** `npm run test:faults` sets it. The long form repeats each kill, and kills the stack at every moment too. */
export const isLong = process.env['FAULTS'] === 'long';
export const ROUNDS = isLong ? 5 : 1;

const WAITING_MS = 30_000;
const HELD_UP = `select distinct pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;

/**
 * The outcome of the statement that a killed service waits for. The server notices the end of its client only when it
 * sends the result, so it executes the statement, unless its session is ended before.
 */
export const STATEMENT_OUTCOMES = ['rolled back', 'committed'] as const;
export type StatementOutcome = (typeof STATEMENT_OUTCOMES)[number];

/** A transaction in a service's database that blocks the service as long as it is open. */
export class BlockingTransaction {
  private constructor(private readonly client: pg.Client) {
    // The server may stop with the product; then no query is blocked any more.
    client.on('error', () => undefined);
  }

  /** Begins with a statement that locks the rows that the service is about to write. */
  static async begin(
    service: 'auth' | 'payments',
    statement: string,
    values: unknown[] = [],
  ): Promise<BlockingTransaction> {
    const client = new pg.Client(await databaseUrl(service));
    const blocker = new BlockingTransaction(client);
    await client.connect();
    await client.query('begin');
    await client.query(statement, values);
    return blocker;
  }

  /** Kills the service once it waits, and ends the transaction. */
  async kill(target: KillTarget, outcome: StatementOutcome): Promise<void> {
    try {
      await eventually(() => this.#expectWaiting(), { timeoutMs: WAITING_MS });
      await target.kill();
      if (outcome === 'rolled back') {
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
