import type {
  Audience,
  ListPayments,
  Medium,
  PaymentAction,
  PaymentStatus,
  PaymentsPage,
  TargetType,
} from '@settle/contracts';
import type { PaymentMode } from '@settle/payments-domain';
import type { Pool } from 'pg';
import { PAYMENT_COLUMNS, listStatement } from './list-statements.js';
import type { PaymentRow } from './payment-row.js';

const BY_ID = { name: 'payment-by-id', text: `select ${PAYMENT_COLUMNS} from payments p where p.id = $1` };
const BALANCE = {
  name: 'balance-of-wallet',
  text: 'select balance_cents from ledger_entries where wallet_id = $1 order by revision desc limit 1',
};

interface Row {
  readonly id: string;
  readonly status: PaymentStatus;
  readonly mode: PaymentMode;
  readonly action: PaymentAction;
  readonly amount_cents: string;
  readonly fee_cents: string;
  readonly note: string;
  readonly audience: Audience;
  readonly medium: Medium;
  readonly actor_id: string;
  readonly target_type: TargetType;
  readonly target_user_id: string | null;
  readonly target_address: string | null;
  readonly created_us: string;
  readonly completed_us: string | null;
  readonly refund_id: string | null;
  readonly refund_of: string | null;
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
    id: row.id,
    status: row.status,
    mode: row.mode,
    action: row.action,
    amountCents: Number(row.amount_cents),
    feeCents: Number(row.fee_cents),
    note: row.note,
    audience: row.audience,
    medium: row.medium,
    actorId: row.actor_id,
    targetType: row.target_type,
    targetUserId: row.target_user_id,
    targetAddress: row.target_address,
    createdAtUs: Number(row.created_us),
    completedAtUs: row.completed_us === null ? null : Number(row.completed_us),
    refundId: row.refund_id,
    refundOf: row.refund_of,
  };
}
