import type { Pool } from 'pg';
import type { EntityManager } from 'typeorm';

/**
 * The seconds since 1970 at which the database was restored, and at least one more than before: a backup cannot know of
 * an earlier restore of itself, the clock does. Updates `record_epoch` first, so that an announcement that ends at the
 * same moment does not count as done.
 */
const RAISE_RECORD_EPOCH = `
  with raised as (
    update record_epoch set epoch = greatest(epoch + 1, extract(epoch from clock_timestamp())::bigint) returning epoch),
  due as (
    insert into due_announcement select true from raised on conflict (is_due) do update set is_due = true)
  select epoch from raised`;

/**
 * Raises the epoch of the records of `users.state.v1`. Call it once after each restore of the database of
 * users-service, before or while instances run on it: later records count as newer than every record from before the
 * restore, whatever their versions are, and an instance publishes all records again.
 * @param pool of the database of users-service, migrated by this version
 * @returns the new epoch
 */
export async function raiseRecordEpoch(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query<{ epoch: string }>(RAISE_RECORD_EPOCH);
  return toEpoch(rows);
}

/** Returns the epoch for the records of this transaction. */
export async function readRecordEpoch(manager: EntityManager): Promise<number> {
  return toEpoch(await manager.query<{ epoch: string }[]>('select epoch from record_epoch'));
}

function toEpoch([row]: readonly { epoch: string }[]): number {
  if (row === undefined) throw new Error('The table record_epoch has no row');
  return Number(row.epoch);
}
