import { intentUsOf } from '@settle/payments-domain';
import type { ClientBase, Pool } from 'pg';
import type { FundingAct } from './funding-unit.js';

type Database = Pick<ClientBase | Pool, 'query'>;

/** `payment`: its charge or repayment waits for the provider. */
export type WaitingKind = 'payment' | 'deposit' | 'withdrawal' | 'reversal' | 'contradiction';
export type WaitsFor = 'provider' | 'review' | 'finish';

const WAITS_FOR: Readonly<Record<FundingAct, WaitsFor>> = { ask: 'provider', review: 'review', finish: 'finish' };

/** Everything that can wait, and for which step. */
const WAITING: readonly (readonly [WaitingKind, WaitsFor])[] = [
  ['payment', 'provider'],
  ['deposit', 'provider'],
  ['deposit', 'finish'],
  ['withdrawal', 'provider'],
  ['withdrawal', 'review'],
  ['withdrawal', 'finish'],
  ['reversal', 'finish'],
  ['contradiction', 'review'],
];

/** The newest intent of a payment that waits for the provider; the alias of the payment's row is `w`. */
const INTENT = `lateral (
    select coalesce(l.repayment_key, l.charge_key) as key, l.wallet_id, l.begin_before_us from ledger_entries l
    where l.payment_id = w.payment_id and l.begin_before_us is not null order by l.begin_before_us desc limit 1
  ) intent`;
const WAITING_PAYMENTS = `(select payment_id from open_work where act = 'funding' order by since_us limit $1) w
  join payments p on p.id = w.payment_id`;

/** Their cost depends on the number of rows that wait alone, up to a bound. */
const SUMS = {
  name: 'sum-waiting-money',
  text: `
    select kind, act, count(*)::int as rows, coalesce(sum(amount_cents), 0)::float8 as cents,
      min(created_us)::float8 as "sinceUs"
    from (select kind, act, amount_cents, created_us from funding where act is not null order by created_us limit $1) f
    group by kind, act`,
};
const PAYMENT_SUMS = {
  name: 'sum-waiting-payments',
  text: `
    select count(*)::int as rows, coalesce(sum(p.amount_cents + p.fee_cents), 0)::float8 as cents,
      min(intent.begin_before_us)::float8 as "beginBeforeUs"
    from ${WAITING_PAYMENTS}, ${INTENT}`,
};
const LIST = {
  name: 'list-waiting-money',
  text: `
    select kind, act, id as key, user_id as "userId", amount_cents::float8 as cents, created_us::float8 as "sinceUs",
      case kind when 'contradiction' then reason end as reason
    from funding where act is not null order by created_us, kind, id limit $1`,
};
const PAYMENT_LIST = {
  name: 'list-waiting-payments',
  text: `
    select intent.key, intent.wallet_id as "userId", (p.amount_cents + p.fee_cents)::float8 as cents,
      intent.begin_before_us::float8 as "beginBeforeUs"
    from ${WAITING_PAYMENTS}, ${INTENT} order by intent.begin_before_us, intent.key`,
};
/** Wallets are few: each needs an event that left it below zero. */
const BELOW_ZERO = {
  name: 'sum-below-zero',
  text: `
    select coalesce(sum(least(newest.balance_cents, 0)), 0)::float8 as cents
    from (select distinct wallet_id from ledger_entries where balance_cents < 0) w, lateral (
      select l.balance_cents from ledger_entries l where l.wallet_id = w.wallet_id order by l.revision desc limit 1
    ) newest`,
};

export interface WaitingSum {
  readonly kind: WaitingKind;
  readonly waitsFor: WaitsFor;
  readonly rows: number;
  readonly cents: number;
  /** Since when the oldest waits, in microseconds since 1970; null if nothing does. */
  readonly sinceUs: number | null;
}

export interface WaitingMoney {
  readonly kind: WaitingKind;
  readonly waitsFor: WaitsFor;
  readonly key: string;
  /** Null for a contradiction, and so is the amount. */
  readonly userId: string | null;
  readonly cents: number | null;
  readonly sinceUs: number;
  /** The kind of a contradiction; otherwise null. */
  readonly reason: string | null;
}

type FundingKindRow = { readonly kind: Exclude<WaitingKind, 'payment'>; readonly act: FundingAct };

/**
 * Returns what waits, one sum for each kind and step, also for those of which nothing waits. Errors: the database's.
 * @param limit rows that are counted at most
 */
export async function sumWaitingMoney(database: Database, limit: number): Promise<readonly WaitingSum[]> {
  const { rows } = await database.query<FundingKindRow & Omit<WaitingSum, 'kind' | 'waitsFor'>>({
    ...SUMS,
    values: [limit],
  });
  const payments = await database.query<{ rows: number; cents: number; beginBeforeUs: number | null }>({
    ...PAYMENT_SUMS,
    values: [limit],
  });
  return WAITING.map(([kind, waitsFor]): WaitingSum => {
    const none = { kind, waitsFor, rows: 0, cents: 0, sinceUs: null };
    if (kind !== 'payment') {
      const found = rows.find((row) => row.kind === kind && WAITS_FOR[row.act] === waitsFor);
      return found === undefined ? none : { ...none, rows: found.rows, cents: found.cents, sinceUs: found.sinceUs };
    }
    const { beginBeforeUs = null, ...sum } = payments.rows[0] ?? {};
    return { ...none, ...sum, sinceUs: beginBeforeUs === null ? null : intentUsOf(beginBeforeUs) };
  });
}

/** Returns the rows that have waited longest, the oldest first. Errors: the database's. */
export async function listWaitingMoney(database: Database, limit: number): Promise<readonly WaitingMoney[]> {
  const { rows } = await database.query<FundingKindRow & Omit<WaitingMoney, 'kind' | 'waitsFor'>>({
    ...LIST,
    values: [limit],
  });
  const payments = await database.query<{ key: string; userId: string; cents: number; beginBeforeUs: number }>({
    ...PAYMENT_LIST,
    values: [limit],
  });
  const waiting: WaitingMoney[] = [
    ...rows.map(({ act, ...row }) => ({ ...row, waitsFor: WAITS_FOR[act] })),
    ...payments.rows.map(({ beginBeforeUs, ...row }) => {
      return {
        ...row,
        kind: 'payment',
        waitsFor: 'provider',
        sinceUs: intentUsOf(beginBeforeUs),
        reason: null,
      } as const;
    }),
  ];
  return waiting.sort((one, other) => one.sinceUs - other.sinceUs);
}

/** Returns the sum of all balances below zero, in cents: zero or negative. Errors: the database's. */
export async function sumBelowZero(database: Database): Promise<number> {
  const { rows } = await database.query<{ cents: number }>(BELOW_ZERO);
  return rows[0]?.cents ?? 0;
}
