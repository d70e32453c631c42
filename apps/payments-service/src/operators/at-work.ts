import type { Pool, PoolClient } from 'pg';

/** Advisory locks are one database's own. */
export const OPERATORS_LOCK = 7_155_010;

/**
 * Keeps commands off that must not run beside this one, for as long as the connection is held: a rebuild is alone, and
 * verifications read side by side. Release the connection with `release(true)`. Errors: `AtWork`, when another works.
 */
export async function beAtWork(pool: Pool, how: 'alone' | 'reading'): Promise<PoolClient> {
  const client = await pool.connect();
  const lock = how === 'alone' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const { rows } = await client.query<{ taken: boolean }>(`select ${lock}($1) as taken`, [OPERATORS_LOCK]);
  if (rows[0]?.taken === true) return client;
  client.release(true);
  throw new AtWork();
}

/** One line for whoever runs the command. */
export class AtWork extends Error {
  constructor() {
    super('A rebuild or a verification of this database is at work: try again when it has ended');
    this.name = 'AtWork';
  }
}
