import { randomBytes } from 'node:crypto';
import type { Settings } from '@settle/config';
import type { Pool } from 'pg';

const KEY_BYTES = 32;

/** If several instances start at once on a new database, one key is stored and all instances read it. */
const INSERT = 'insert into security_log_keys (key) values ($1) on conflict do nothing';
const READ = 'select key from security_log_keys';

/**
 * Returns the key of the hashes in the security log: `SECURITY_LOG_KEY`, or the one that the first start stores in the
 * database. It never changes, so that hashes from before and after a restart can be compared.
 */
export async function loadSecurityLogKey(
  pool: Pool,
  { securityLogKey: configured }: Pick<Settings, 'securityLogKey'>,
): Promise<Buffer> {
  if (configured !== null) return Buffer.from(configured);
  const stored = await pool.query<{ key: Buffer }>(READ);
  if (stored.rows[0] !== undefined) return stored.rows[0].key;
  await pool.query(INSERT, [randomBytes(KEY_BYTES)]);
  const { rows } = await pool.query<{ key: Buffer }>(READ);
  if (rows[0] === undefined) throw new Error('security_log_keys holds no key');
  return rows[0].key;
}
