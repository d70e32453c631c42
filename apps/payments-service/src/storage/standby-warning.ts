import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';

/** Only a role with monitoring rights sees the state, which distinguishes a running backup from a standby. */
const FIND_STANDBY = `select current_setting('synchronous_standby_names') = '' as "isAsynchronous", exists (
    select from pg_stat_replication where coalesce(state, 'streaming') in ('catchup', 'streaming')) as "hasStandby"`;

/** Warns if a standby follows the database and commits do not wait for it: a failover to it can lose payments. */
export async function warnOfAsynchronousStandby(pool: Pool, logger: Logger): Promise<void> {
  try {
    const { rows } = await pool.query<{ isAsynchronous: boolean; hasStandby: boolean }>(FIND_STANDBY);
    if (rows[0]?.hasStandby !== true || !rows[0].isAsynchronous) return;
    logger.warn(
      'a standby is attached and synchronous_standby_names is empty: a failover can lose payments that callers have seen',
    );
  } catch (err) {
    logger.warn({ err }, 'whether the database has an asynchronous standby cannot be read');
  }
}
