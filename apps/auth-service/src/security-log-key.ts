import { randomBytes } from 'node:crypto';
import type { Settings } from '@settle/config';
import type { Pool } from 'pg';

const KEY_BYTES = 32;

/** Of several instances that start at once on a new database, one key is stored and all read that one. */
const KEEP = 'insert into security_log_keys (key) values ($1) on conflict do nothing';
const READ = 'select key from security_log_keys';

/**
 * Returns the key of the hashes in the security log: `SECURITY_LOG_KEY`, else the one that is kept in the database, made
 * at the first start. It never changes, so that hashes from before a restart can be compared with those from after it.
 */
export async function securityLogKey(
  pool: Pool,
  { securityLogKey: given }: Pick<Settings, 'securityLogKey'>,
): Promise<Buffer> {
  if (given !== null) return Buffer.from(given);
  const kept = await pool.query<{ key: Buffer }>(READ);
  if (kept.rows[0] !== undefined) return kept.rows[0].key;
  await pool.query(KEEP, [randomBytes(KEY_BYTES)]);
  const { rows } = await pool.query<{ key: Buffer }>(READ);
  if (rows[0] === undefined) throw new Error('security_log_keys holds no key');
  return rows[0].key;
}
