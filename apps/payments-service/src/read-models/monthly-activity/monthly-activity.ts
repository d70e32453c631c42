import { payerIdOf } from '@settle/payments-domain';
import type { PaymentChange } from '../../storage/payment-changes.js';
import { sumsProjection, type SumRow } from '../sums-projection.js';
import { CreateMonthlyActivity1795580100000 } from './create-monthly-activity.migration.js';

const COLUMNS = {
  user_id: 'bigint',
  month: 'int',
  counterparty_id: 'bigint',
  paid_count: 'bigint',
  paid_cents: 'bigint',
  received_count: 'bigint',
  received_cents: 'bigint',
  fee_cents: 'bigint',
} as const;

export type MonthlyActivityRow = SumRow<keyof typeof COLUMNS>;

const NOTHING = { paid_count: 0, paid_cents: 0, received_count: 0, received_cents: 0, fee_cents: 0 };

/**
 * The payments of each user to and from each other user in a calendar month: settled payments by the time at which
 * they were completed, in UTC. Fees count apart, for the user who paid them. A refund settles no payment and does not
 * count. In the sandbox the payments with the test user count like all others.
 */
export const MONTHLY_ACTIVITY = sumsProjection({
  name: 'monthly-activity',
  version: 1,
  migrations: [CreateMonthlyActivity1795580100000],
  table: 'monthly_activity',
  columns: COLUMNS,
  key: ['user_id', 'month', 'counterparty_id'],
  addedBy: monthlyRows,
});

/** Returns the payer's row and the payee's if the change settles a payment between two users. */
function monthlyRows({ payment, stored }: PaymentChange): readonly MonthlyActivityRow[] {
  if (stored.type !== 'PaymentSettled' || payment.status !== 'settled' || payment.facts.refundOf !== null) return [];
  const { facts, targetUserId, endedAtUs } = payment;
  const payerId = payerIdOf(facts, targetUserId);
  const payeeId = payerId === facts.actorId ? targetUserId : facts.actorId;
  if (payerId === null) return [];
  const month = monthOf(endedAtUs);
  const { amountCents, feeCents } = facts;
  const [paid, received] = [
    { paid_count: 1, paid_cents: amountCents, fee_cents: feeCents },
    { received_count: 1, received_cents: amountCents },
  ];
  return [
    { user_id: payerId, month, counterparty_id: payeeId, ...NOTHING, ...paid },
    { user_id: payeeId, month, counterparty_id: payerId, ...NOTHING, ...received },
  ];
}

/** Returns the calendar month in UTC as `yyyymm`. @param atUs microseconds since 1970 */
export function monthOf(atUs: number): number {
  const date = new Date(Math.floor(atUs / 1_000));
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}
