import { LIMITS } from '@settle/config';
import type { DataSource } from 'typeorm';

/** The newest time at which an intruder could have taken over the account, in microseconds since 1970; null: none is known. */
const SELECT_NEWEST = `
  select greatest(
    (select extract(epoch from password_reset_at) * 1000000 from credentials where user_id = $1),
    (select max(proven_at_us) from login_addresses where user_id = $1 and kind = 'email'))::bigint::text as "newestUs"`;

/**
 * Returns the time in microseconds since 1970 before which no money may be paid out to the user, because the password
 * was reset or an e-mail address was verified; 0: there is none.
 */
export async function findPayoutWaitEnd(dataSource: DataSource, userId: string): Promise<number> {
  const [row] = await dataSource.query<{ newestUs: string | null }[]>(SELECT_NEWEST, [userId]);
  const newestUs = row?.newestUs ?? null;
  return newestUs === null ? 0 : Number(newestUs) + LIMITS.auth.payoutWaitMs * 1_000;
}
