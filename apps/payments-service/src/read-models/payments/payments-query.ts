import type { ListPayments, PaymentsPage } from '@settle/contracts';
import type { Pool } from 'pg';
import { PAYMENT_COLUMNS, listStatement } from './list-statements.js';
import type { PaymentRow } from './payment-row.js';

const BY_ID = { name: 'payment-by-id', text: `select ${PAYMENT_COLUMNS} from payments p where p.id = $1` };
const BALANCE = {
  name: 'balance-of-wallet',
  text: 'select balance_cents from ledger_entries where wallet_id = $1 order by revision desc limit 1',
};

/** A row as the driver returns it: a bigint is text. */
interface Row extends Omit<PaymentRow, 'amountCents' | 'feeCents' | 'createdAtUs' | 'completedAtUs'> {
  readonly amountCents: string;
  readonly feeCents: string;
  readonly createdAtUs: string;
  readonly completedAtUs: string | null;
}

/** Queries of the read models: a payment, a user's list, a wallet's balance. */
export class PaymentsQuery {
  /** @param openingCents balance of a wallet without journal lines */
  constructor(
    private readonly pool: Pool,
    private readonly openingCents: number,
  ) {}

  async findPayment(id: string): Promise<PaymentRow | null> {
    const { rows } = await this.pool.query<Row>({ ...BY_ID, values: [id] });
    return rows[0] === undefined ? null : shown(rows[0]);
  }

  /** Returns a page, newest first, and where the next one begins. */
  async list(query: ListPayments): Promise<{ payments: PaymentRow[]; next: PaymentsPage['next'] }> {
    const { limit } = query;
    const { rows } = await this.pool.query<Row>(listStatement(query));
    const payments = rows.map(shown);
    const page = payments.slice(0, limit);
    return { payments: page, next: cursorAfter(page.at(-1), payments[limit]) };
  }

  /** Returns the balance after the wallet's newest journal line, in cents. */
  async readBalanceCents(userId: string): Promise<number> {
    const { rows } = await this.pool.query<{ balance_cents: string }>({ ...BALANCE, values: [userId] });
    return Number(rows[0]?.balance_cents ?? this.openingCents);
  }
}

function cursorAfter(last: PaymentRow | undefined, following: PaymentRow | undefined): PaymentsPage['next'] {
  if (last === undefined || following === undefined) return null;
  const isTie = last.createdAtUs === following.createdAtUs;
  return { beforeUs: last.createdAtUs, beforeId: isTie ? last.id : null };
}

function shown(row: Row): PaymentRow {
  return {
    ...row,
    amountCents: Number(row.amountCents),
    feeCents: Number(row.feeCents),
    createdAtUs: Number(row.createdAtUs),
    completedAtUs: row.completedAtUs === null ? null : Number(row.completedAtUs),
  };
}
