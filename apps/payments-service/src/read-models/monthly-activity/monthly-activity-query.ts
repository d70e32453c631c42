import type { Pool } from 'pg';

/** Payments between a user and another one in a month. Amounts are cents. */
export interface MonthlyActivity {
  readonly counterpartyId: string;
  readonly paidCount: number;
  readonly paidCents: number;
  readonly receivedCount: number;
  readonly receivedCents: number;
  /** Fees that the user paid on top of `paidCents`. */
  readonly feeCents: number;
}

const OF_USER = {
  name: 'monthly-activity-of-user',
  text: `select counterparty_id as "counterpartyId", paid_count::float8 as "paidCount", paid_cents::float8 as "paidCents",
      received_count::float8 as "receivedCount", received_cents::float8 as "receivedCents", fee_cents::float8 as "feeCents"
    from monthly_activity where user_id = $1 and month = $2 order by counterparty_id`,
};

/**
 * Returns a user's activity of a calendar month in UTC, by counterparty. It may lack the newest payments: no response waits
 * for it. Only specs call it: no endpoint of the product reads this read model, which serves the reporting role
 * (`deploy/postgres/reporting-role.sql`). @param month as `yyyymm`
 */
export async function readMonthlyActivity(pool: Pool, userId: string, month: number): Promise<MonthlyActivity[]> {
  return (await pool.query<MonthlyActivity>({ ...OF_USER, values: [userId, month] })).rows;
}
