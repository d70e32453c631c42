import { LIMITS } from '@settle/config';
import type { Pool } from 'pg';
import type { WrappingKeys } from './wrapping-keys.js';

const { keysPerRewrap } = LIMITS.operators;

const OTHERS = `
  select user_id as "userId", wrapped_with as "wrappedWith", wrapped from data_keys
  where wrapped_with <> $1 order by wrapped_with, user_id limit $2`;
/** A key that was destroyed since stays destroyed. */
const REWRAP = `
  update data_keys k set wrapped_with = n.wrapped_with, wrapped = n.wrapped
  from unnest($1::bigint[], $2::text[], $3::bytea[]) as n (user_id, wrapped_with, wrapped)
  where k.user_id = n.user_id and k.wrapped is not null`;

interface OtherRow {
  readonly userId: string;
  readonly wrappedWith: string;
  readonly wrapped: Buffer;
}

/**
 * Wraps every data key with the newest wrapping key, a bounded number per statement. Can be repeated. Returns the number
 * of keys that were wrapped with another one. Errors: the database's; `SettingsError` if a wrapping key is missing.
 */
export async function rewrapDataKeys(pool: Pool, wrapping: WrappingKeys): Promise<number> {
  for (let total = 0; ;) {
    const { rows } = await pool.query<OtherRow>(OTHERS, [wrapping.newest, keysPerRewrap]);
    if (rows.length === 0) return total;
    const anew = rows.map(({ userId, ...row }) => wrapping.wrap(userId, wrapping.unwrap(userId, row)));
    const columns = [
      rows.map(({ userId }) => userId),
      anew.map((key) => key.wrappedWith),
      anew.map((key) => key.wrapped),
    ];
    await pool.query(REWRAP, columns);
    total += rows.length;
  }
}
