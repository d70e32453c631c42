import { LIMITS } from '@settle/config';
import type { ClientBase } from 'pg';
import type { BookingKind, StatementHead } from './statement.js';

/** Classes of a booking that make the reconciliation fail, in the order in which they are printed. */
export const DIFFERENCES = ['missing_here', 'missing_there', 'other_amount', 'other_state'] as const;
export type Difference = (typeof DIFFERENCES)[number];

/**
 * Classes in which both sides agree. `edge`: here just outside the period. `neighbor`: within an hour of the edge here, so it
 * belongs into the neighboring statement. `undone`: accepted and taken back here, and never booked there.
 */
export const AGREEMENTS = ['equal', 'edge', 'neighbor', 'undone', 'pending'] as const;
export type BookingClass = Difference | (typeof AGREEMENTS)[number];

export interface ClassSum {
  readonly kind: BookingKind;
  readonly class: BookingClass;
  readonly rows: number;
  /** Cents that the statement's sums contain. */
  readonly thereCents: number;
  /** Cents that are booked here within the period. */
  readonly hereCents: number;
  /** Cents of the rows, whether or not they are booked. */
  readonly cents: number;
}

export interface ComparedBooking {
  readonly class: BookingClass;
  readonly kind: BookingKind;
  readonly key: string;
  readonly providerId: string | null;
  readonly line: number | null;
  readonly hereCents: number | null;
  readonly thereCents: number | null;
  readonly hereState: string | null;
  readonly thereState: string | null;
  readonly hereUs: number | null;
  readonly thereUs: number | null;
  /** The payment, deposit or withdrawal here, in words; null if there is none. */
  readonly owner: string | null;
}

const CREATE = `
  create temp table compared (
    class text not null,
    kind text not null,
    key text not null,
    provider_id text,
    line bigint,
    here_cents bigint,
    there_cents bigint,
    here_state text,
    there_state text,
    here_us bigint,
    there_us bigint,
    owner text,
    is_here boolean not null,
    is_there boolean not null
  )`;

/**
 * A repayment that was accepted here at once, and that the provider has failed before it booked it, is taken back here: both
 * of its own rows are missing there, and no money is.
 */
const CLASS = `
  case
    when there is null then
      case
        when is_here and is_undone then 'undone'
        when is_here and is_at_edge then 'neighbor'
        when is_here then 'missing_there'
        when here_state = 'requested' and is_in_period then 'pending'
      end
    when here_state is null and there <> 'none' then 'missing_here'
    when here_state is null then null
    when here_cents <> there_cents then 'other_amount'
    when there = 'booked' and here_state <> 'booked' then 'other_state'
    when there = 'booked' and is_in_period then 'equal'
    when there = 'booked' and is_near then 'edge'
    when there = 'booked' then 'missing_here'
    when there = 'pending' and here_state = 'requested' then 'pending'
    when there = 'pending' and here_state = 'booked' and (kind = 'repayment' or here_us >= $2) then 'pending'
    when there = 'none' and here_state = 'booked' and is_undone then 'undone'
    when there = 'pending' or here_state = 'booked' then 'other_state'
  end`;

/** The newest fact of each key here, beside the statement's row of the same key. */
const COMPARE = `
  insert into compared
  select class, kind, key, provider_id, line, here_cents, there_cents, here_state, there_state, here_us, there_us, owner,
    is_here, is_there
  from (
    select *, ${CLASS} as class
    from (
      select coalesce(s.kind, o.kind) as kind, coalesce(s.key, o.key) as key, s.provider_id, s.line, s.progress as there,
        o.cents as here_cents, s.cents as there_cents, o.state as here_state, s.state as there_state,
        o.at_us as here_us, s.at_us as there_us, o.owner,
        (o.at_us >= $1 and o.at_us < $2) is true as is_in_period,
        (o.at_us >= $1::bigint - $3::bigint and o.at_us < $2::bigint + $3::bigint) is true as is_near,
        (o.at_us < $1::bigint + $3::bigint or o.at_us >= $2::bigint - $3::bigint) is true as is_at_edge,
        (o.state = 'booked' and o.at_us >= $1 and o.at_us < $2) is true as is_here,
        (s.progress = 'booked') is true as is_there,
        (o.kind in ('repayment', 'payout_return') and exists (
          select from own_facts f where f.match = o.match and f.state = 'booked'
            and f.kind in ('repayment', 'payout_return') and f.kind <> o.kind)) is true as is_undone
      from statement_rows s
      full join (
        select distinct on (kind, match) * from own_facts order by kind, match, number desc
      ) o on o.kind = s.kind and o.match = s.match
    ) joined
  ) classed
  where class is not null`;

const SUMS = `
  select kind, class, count(*)::int as rows,
    coalesce(sum(there_cents) filter (where is_there), 0)::float8 as "thereCents",
    coalesce(sum(here_cents) filter (where is_here), 0)::float8 as "hereCents",
    coalesce(sum(coalesce(there_cents, here_cents)), 0)::float8 as cents
  from compared group by kind, class`;

const LIST = `
  declare found no scroll cursor for
  select class, kind, key, provider_id as "providerId", line::float8, here_cents::float8 as "hereCents",
    there_cents::float8 as "thereCents", here_state as "hereState", there_state as "thereState",
    here_us::float8 as "hereUs", there_us::float8 as "thereUs", owner
  from compared where class <> 'equal' order by class, line, here_us, kind, key`;

/**
 * Compares the rows of the statement with our own, and returns the sums of each kind and class.
 * @param edgeUs a booking this close to the edge of the period may stand in the neighboring statement
 */
export async function compareBookings(
  client: ClientBase,
  { fromUs, toUs, edgeUs }: Pick<StatementHead, 'fromUs' | 'toUs'> & { readonly edgeUs: number },
): Promise<readonly ClassSum[]> {
  await client.query('analyze statement_rows');
  await client.query('analyze own_facts');
  await client.query(CREATE);
  await client.query(COMPARE, [fromUs, toUs, edgeUs]);
  return (await client.query<ClassSum>(SUMS)).rows;
}

/** Yields everything that is not equal, by class, in pages of a bounded number of rows. */
export async function* unequalBookings(client: ClientBase): AsyncGenerator<readonly ComparedBooking[]> {
  await client.query('begin read only');
  await client.query(LIST);
  for (;;) {
    const { rows } = await client.query<ComparedBooking>(`fetch ${LIMITS.operators.rowsPerFetch} from found`);
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query('commit');
}
