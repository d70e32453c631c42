import type { Pool, PoolClient } from 'pg';

/** Key of the advisory lock, in the payments database. */
export const MAINTENANCE_LOCK = 7_155_010;

/**
 * Acquires the maintenance lock and returns the connection that holds it: a rebuild runs alone, verifications run side by
 * side. Release it with `release(true)`. Error: another command holds the lock.
 */
export async function acquireMaintenanceLock(pool: Pool, mode: 'exclusive' | 'shared'): Promise<PoolClient> {
  const client = await pool.connect();
  const lock = mode === 'exclusive' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const { rows } = await client.query<{ taken: boolean }>(`select ${lock}($1) as taken`, [MAINTENANCE_LOCK]);
  if (rows[0]?.taken === true) return client;
  client.release(true);
  throw new Error('A rebuild or a verification of this database is running: try again when it has ended');
}
