import type { StoredEvent } from '@settle/event-store';
import {
  NO_PAYMENT,
  NO_STEPS,
  evolvePayment,
  evolveSteps,
  feeEntry,
  walletEntry,
  type JournalEntry,
  type PaymentState,
  type WalletEvent,
  type WalletSteps,
} from '@settle/payments-domain';
import type { Pool } from 'pg';
import { openWorkOf } from '../../src/read-models/open-work/open-work.js';
import { paymentRowOf } from '../../src/read-models/payments/payment-row.js';
import { LEDGER_PREFIXES, readLedgerEvent } from '../../src/storage/streams.js';

/** Sums of the journal, cents. `wallets` is what the wallets say of themselves, the others are sums of lines. */
const BOOKS = `
  with lines as (
    select debit_account, credit_account, amount_cents from ledger_entries
    union all select debit_account, credit_account, amount_cents from fee_entries
    union all select debit_account, credit_account, amount_cents from payout_entries
  ), moves as (
    select credit_account as account, amount_cents from lines
    union all select debit_account, -amount_cents from lines
  ), newest as (
    select distinct on (wallet_id) balance_cents from ledger_entries order by wallet_id, revision desc
  )
  select (select coalesce(sum(balance_cents), 0) from newest)::float8 as "walletCents",
    coalesce(sum(amount_cents) filter (where account like 'transit:%'), 0)::float8 as "transitCents",
    coalesce(sum(amount_cents) filter (where account like 'payouts:%'), 0)::float8 as "payoutCents",
    coalesce(sum(amount_cents) filter (where account = 'fees'), 0)::float8 as "feeCents",
    coalesce(-sum(amount_cents) filter (where account like 'funding:%'), 0)::float8 as "fundingCents"
  from moves`;

export interface Books {
  readonly walletCents: number;
  readonly transitCents: number;
  readonly payoutCents: number;
  readonly feeCents: number;
  readonly fundingCents: number;
}

/** Each of these finds nothing in a ledger that is in order. */
const OFFENCES = {
  'a line that does not carry the balance on': `
    select wallet_id, revision from (
      select wallet_id, revision, balance_cents,
        lag(balance_cents, 1, 0::bigint) over (partition by wallet_id order by revision) as before_cents,
        case when debit_account = credit_account then 0
          when credit_account = 'wallet:' || wallet_id then amount_cents else -amount_cents end as moved_cents
      from ledger_entries) line
    where balance_cents <> before_cents + moved_cents`,
  'a balance below zero without a reversal': `
    select wallet_id, revision from ledger_entries line
    where balance_cents < 0 and not exists (select from ledger_entries reversed
      where reversed.wallet_id = line.wallet_id and reversed.revision <= line.revision
        and reversed.event_type = 'FundsReversed')`,
  'a wallet with a line missing': `
    select wallet_id from ledger_entries group by wallet_id having max(revision) + 1 <> count(*)`,
  'a stream with a revision missing': `
    select stream from events group by stream having max(revision) + 1 <> count(*)`,
  'a step that stands twice': `
    select payment_id, event_type from ledger_entries
    where event_type in ('FundsCredited', 'FundsDebited', 'FundsReturned', 'FundsWithdrawn', 'DebitRefused')
    group by payment_id, funding_id, repayment_key, event_type,
      case when event_type = 'FundsCredited' then null else wallet_id end
    having count(*) > 1`,
  'a debit beside a refusal of a creation': `
    select refused.payment_id from ledger_entries refused join ledger_entries debit using (payment_id, wallet_id)
    join payments p on p.id = refused.payment_id and p.mode in ('transfer', 'hold')
    where refused.event_type = 'DebitRefused' and debit.event_type = 'FundsDebited'`,
  'money in transit for a payment that has ended': `
    with moves as (
      select credit_account as account, amount_cents from ledger_entries
      union all select debit_account, -amount_cents from ledger_entries
      union all select debit_account, -amount_cents from fee_entries)
    select p.id from payments p join moves on moves.account = 'transit:' || p.id
    where p.status <> 'pending' group by p.id having sum(moves.amount_cents) <> 0`,
};

/** Finds users and months of which the sums are not those of the settled payments. */
const WRONG_SUMS = `
  with settled as (
    select amount_cents, fee_cents, actor_id, target_user_id,
      case action when 'pay' then actor_id else target_user_id end as payer,
      case action when 'pay' then target_user_id else actor_id end as payee,
      to_char(to_timestamp(completed_us / 1000000) at time zone 'UTC', 'YYYYMM')::int as month
    from payments where status = 'settled' and refund_of is null
  ), halves as (
    select payer as user_id, month, payee as counterparty_id, 1 as paid, amount_cents as paid_cents, 0 as received,
      0 as received_cents, fee_cents from settled
    union all select payee, month, payer, 0, 0, 1, amount_cents, 0 from settled
  ), expected as (
    select user_id, month, counterparty_id, sum(paid)::bigint, sum(paid_cents)::bigint, sum(received)::bigint,
      sum(received_cents)::bigint, sum(fee_cents)::bigint from halves group by 1, 2, 3
  )
  (table expected except table monthly_activity) union all (table monthly_activity except table expected)`;

export async function readBooks(pool: Pool): Promise<Books> {
  const { rows } = await pool.query<Books>(BOOKS);
  if (rows[0] === undefined) throw new Error('There are no books');
  return rows[0];
}

/** Money is conserved, no balance is below zero, no step stands twice, and the read models equal a replay. */
export async function expectInOrder(pool: Pool): Promise<Books> {
  const books = await readBooks(pool);
  expect(books.walletCents + books.transitCents + books.payoutCents + books.feeCents).toBe(books.fundingCents);
  for (const [offence, query] of Object.entries(OFFENCES)) {
    const { rows } = await pool.query(query);
    expect({ offence, rows }).toEqual({ offence, rows: [] });
  }
  await expectReplayed(pool);
  expect((await pool.query(WRONG_SUMS)).rows).toEqual([]);
  return books;
}

async function expectReplayed(pool: Pool): Promise<void> {
  const replayed = new Replay();
  const { rows } = await pool.query<StoredEvent>(
    'select stream, revision, type, id, data, position from events order by position',
  );
  for (const row of rows) {
    if (!LEDGER_PREFIXES.some((prefix) => row.stream.startsWith(prefix))) continue;
    const data = JSON.parse(row.data as unknown as string) as object;
    replayed.add({ ...row, data });
  }
  const tables = {
    payments: `select id, status, mode, action, amount_cents, fee_cents, note, audience, medium, actor_id, target_type,
      target_user_id, target_address, created_us, completed_us, refund_id, refund_of, revision from payments`,
    lines: `select wallet_id, revision, payment_id, event_type, debit_account, credit_account, amount_cents,
      balance_cents from ledger_entries`,
    fees: 'select payment_id, debit_account, credit_account, amount_cents from fee_entries',
    work: 'select payment_id, act, owner_id from open_work',
  };
  const expected = replayed.rows();
  for (const [name, query] of Object.entries(tables)) {
    const table = await pool.query<unknown[]>({ text: query, rowMode: 'array' });
    expect({ name, rows: inOrder(table.rows) }).toEqual({ name, rows: inOrder(expected[name as keyof typeof tables]) });
  }
}

const inOrder = (rows: readonly (readonly unknown[])[]): string[] =>
  rows.map((row) => row.map(String).join('|')).sort();

interface Replayed {
  payment: PaymentState;
  revision: number;
  steps: Map<string, WalletSteps>;
  isRefundWritten: boolean;
}

/** Folds the whole log event by event, as slowly and plainly as it goes. */
class Replay {
  readonly #payments = new Map<string, Replayed>();
  readonly #lines: unknown[][] = [];

  add(stored: StoredEvent): void {
    const fact = readLedgerEvent(stored);
    if (fact.kind === 'wallet') {
      this.#line(fact.walletId, fact.revision, fact.event);
      return;
    }
    if (fact.kind !== 'payment') return;
    const replayed = this.#of(fact.paymentId);
    replayed.payment = evolvePayment(replayed.payment, fact.event);
    replayed.revision = fact.revision;
    if (fact.event.type !== 'PaymentCreated' || fact.event.data.refundOf === null) return;
    this.#of(fact.event.data.refundOf).isRefundWritten = true;
  }

  rows(): Record<'payments' | 'lines' | 'fees' | 'work', unknown[][]> {
    const payments: unknown[][] = [];
    const fees: unknown[][] = [];
    const work: unknown[][] = [];
    for (const [id, { payment, revision, steps, isRefundWritten }] of this.#payments) {
      if (payment.status === 'none') continue;
      const p = paymentRowOf(id, payment);
      const target = [p.targetType, p.targetUserId, p.targetAddress];
      const money = [p.amountCents, p.feeCents, p.note, p.audience, p.medium, p.actorId];
      const ends = [p.createdAtUs, p.completedAtUs, p.refundId, p.refundOf, revision];
      payments.push([id, p.status, p.mode, p.action, ...money, ...target, ...ends]);
      const fee = payment.status === 'settled' ? feeEntry(id, payment.facts) : null;
      if (fee !== null) fees.push([id, ...columns(fee)]);
      const transfer = { paymentId: id, payment, steps, isRefundWritten };
      const open = openWorkOf(transfer, 0);
      if (open !== null) work.push([id, open.act, open.ownerId]);
    }
    return { payments, lines: this.#lines, fees, work };
  }

  #line(walletId: string, revision: number, event: WalletEvent): void {
    const { paymentId, balanceCents } = event.data;
    const entry = columns(walletEntry(walletId, event));
    this.#lines.push([walletId, revision, paymentId, event.type, ...entry, balanceCents]);
    if (paymentId === null) return;
    const { steps } = this.#of(paymentId);
    steps.set(walletId, evolveSteps(steps.get(walletId) ?? NO_STEPS, event));
  }

  #of(paymentId: string): Replayed {
    const known = this.#payments.get(paymentId);
    if (known !== undefined) return known;
    const replayed = {
      payment: NO_PAYMENT,
      revision: -1,
      steps: new Map<string, WalletSteps>(),
      isRefundWritten: false,
    };
    this.#payments.set(paymentId, replayed);
    return replayed;
  }
}

const columns = ({ debitAccount, creditAccount, amountCents }: JournalEntry) => [
  debitAccount,
  creditAccount,
  amountCents,
];
