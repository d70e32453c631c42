import { inTransaction } from '@settle/postgres';
import type { Pool } from 'pg';
import { CURRENCY } from './book-object.js';

/** A statement covers `from` up to `to`, which is not included. */
export interface StatementPeriod {
  readonly from: Date;
  readonly to: Date;
}

interface StatementRow {
  readonly number: string;
  readonly key: string;
  readonly object_id: string;
  readonly kind: string;
  readonly cents: string;
  readonly state: string;
  readonly booked_at: Date;
}

const ROWS_AT_ONCE = 1_000;
const PROVIDER = 'reference-provider';

/** Money in less money out: of all bookings before the period, and before its end. */
const SUMS = `select coalesce(sum(signed) filter (where booked_at < $1), 0) as opening, coalesce(sum(signed), 0) as closing
  from (select booked_at, case when kind in ('charge', 'payout_return', 'reversal_won') then cents else -cents end as signed
    from bookings where booked_at < $2) as booked`;
const ROWS = `select number, key, object_id, kind, cents, state, booked_at from bookings
  where booked_at >= $1 and booked_at < $2 and (booked_at, number) > ($3, $4) order by booked_at, number limit $5`;
const PENDING = `select 0 as number, key, id as object_id, kind, amount_cents as cents, state, created_at as booked_at
  from objects where kind in ('charge', 'repayment', 'payout') and state in ('pending', 'action_required')
    and created_at >= $1 and created_at < $2 and (kind, key) > ($3, $4) order by kind, key limit $5`;

/**
 * Returns the lines of a statement (CSV): the provider, currency, period, and the sums at its begin and end; then each
 * booking with key, id, kind, cents, state and time; then what was requested in the period and is still pending, which is
 * not in the sums. Cents are positive; the kind says which way the money went.
 */
export async function* statementLines(pool: Pool, { from, to }: StatementPeriod): AsyncGenerator<string> {
  const sums = await inTransaction(pool, async (client) => {
    // Waits for what is being booked: an earlier time cannot be booked afterwards.
    await client.query('select from books for share');
    return client.query<{ opening: string; closing: string }>(SUMS, [from, to]);
  });
  const { opening = '0', closing = '0' } = sums.rows[0] ?? {};
  yield toLine([PROVIDER, CURRENCY, from.toISOString(), to.toISOString(), opening, closing]);
  const bookings = (last: StatementRow | undefined) => [from, to, last?.booked_at ?? from, last?.number ?? 0];
  yield* pages(pool, ROWS, bookings);
  yield* pages(pool, PENDING, (last) => [from, to, last?.kind ?? '', last?.key ?? '']);
}

/** Yields the lines of a query, read in parts. @param parametersAfter returns the parameters to continue after a row */
async function* pages(
  pool: Pool,
  query: string,
  parametersAfter: (last: StatementRow | undefined) => readonly unknown[],
): AsyncGenerator<string> {
  let last: StatementRow | undefined;
  do {
    const { rows } = await pool.query<StatementRow>(query, [...parametersAfter(last), ROWS_AT_ONCE]);
    if (rows.length > 0) yield rows.map(rowLine).join('');
    last = rows.length === ROWS_AT_ONCE ? rows.at(-1) : undefined;
  } while (last !== undefined);
}

/** No value has a comma, a quote or a line break: keys and ids are checked, all others are ours. */
const toLine = (values: readonly string[]): string => `${values.join(',')}\n`;

function rowLine({ key, object_id: id, kind, cents, state, booked_at: at }: StatementRow): string {
  return toLine([key, id, kind, cents, state, at.toISOString()]);
}
