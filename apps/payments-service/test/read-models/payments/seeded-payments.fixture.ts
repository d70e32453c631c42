import { PAYMENT_ACTIONS, PAYMENT_STATUSES } from '@settle/contracts';
import type { PoolClient } from 'pg';

/** Two users with payments to all seeded users: one is party to half of the payments, the other to hardly any. */
export const DENSE_ACTOR = '1852942301724000001';
export const RARE_ACTOR = '1852942301724000002';
/** Beyond every payment of the few. */
const BULK_BEGINS_US = 1_000;
export const SEEDED_UNTIL_US = BULK_BEGINS_US + 1_000_000;

const COLUMNS = `payments (id, actor_id, target_type, target_user_id, target_address, target_key, status, action,
  created_us, refund_of, mode, amount_cents, fee_cents, audience, medium, revision, note)`;
const REST = `'transfer', 1, 0, 'private', 'api', 0, 'seeded'`;

/** A few payments of every kind, created before all others: by the user and to the user, with each of the two. */
const FEW = `
  insert into ${COLUMNS}
  select $1::bigint + row_number() over (), actor, 'user', target, null, null, status, action, row_number() over (),
    null::bigint, ${REST}
  from unnest($2::text[]) status, unnest($3::text[]) action, generate_series(1, 3),
    (values ($1::bigint, ${DENSE_ACTOR}), ($1, ${RARE_ACTOR}), (${DENSE_ACTOR}, $1), (${RARE_ACTOR}, $1)) way (actor, target)`;

/** Many, of six kinds; a tenth are refunds, which no list has, and a tenth are pending to the user's address. */
const MANY = `
  insert into ${COLUMNS}
  select $1::bigint + 1000 + n, case when part < 5 then $1::bigint else other end, case part when 9 then 'email' else 'user' end,
    case when part = 9 then null when part = 4 then $1 when part < 4 then other else $1 end,
    case part when 9 then $4::text end, case part when 9 then $4 end,
    (array['settled', 'settled', 'expired', 'pending', 'settled', 'settled', 'settled', 'pending', 'failed', 'pending'])[part + 1],
    (array['pay', 'pay', 'charge', 'charge', 'pay', 'pay', 'pay', 'charge', 'pay', 'charge'])[part + 1],
    $3 + n * 1000000 / $2, case part when 4 then n end, ${REST}
  from generate_series(1::bigint, $2) n, lateral (select n % 10 as part,
    case when n % 20 < 10 then ${DENSE_ACTOR} else ${DENSE_ACTOR} + 1 + n % 1000 end as other) drawn`;

const addressOf = (userId: string): string => `${userId}@example.com`;

/** The payments of one user, within the same second however many. Ids begin at the user's. */
export async function seedPayments(client: PoolClient, userId: string, count: number): Promise<void> {
  await client.query(`insert into known_addresses values ('email', $2, $1, 1)`, [userId, addressOf(userId)]);
  await client.query(FEW, [userId, PAYMENT_STATUSES, PAYMENT_ACTIONS]);
  await client.query(MANY, [userId, count, BULK_BEGINS_US, addressOf(userId)]);
}
