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
import type { ShownPayment } from './shown-payment.js';

/** The owner of a pending payment's address is joined at reading; the newest proof wins. */
const COLUMNS = `p.id, p.status, p.mode, p.action, p.amount_cents, p.fee_cents, p.note, p.audience, p.medium, p.actor_id,
  p.target_type, p.target_address, p.created_us, p.completed_us, p.refund_id, p.refund_of,
  coalesce(p.target_user_id, case when p.status = 'pending' and p.target_key is not null then (
    select a.user_id from known_addresses a where a.kind = p.target_type and a.value = p.target_key
    order by a.proven_at_us desc, a.user_id limit 1) end) as target_user_id`;

const BY_ID = { name: 'payment-by-id', text: `select ${COLUMNS} from payments p where p.id = $1` };
const BALANCE = {
  name: 'balance-of-wallet',
  text: 'select balance_cents from ledger_entries where wallet_id = $1 order by revision desc limit 1',
};

/** Filters that every branch of a list has; of an absent one the value is null, or beyond any row. */
const FILTERS = `p.refund_of is null
  and ($2::text is null or p.action = $2)
  and ($3::bigint[] is null or p.actor_id = any($3))
  and ($4::text[] is null or p.status = any($4))
  and p.created_us > $5::bigint
  and (p.created_us, p.id) < ($6::bigint, $7::bigint)`;
const NEWEST = 'order by p.created_us desc, p.id desc limit $8';
const EARLIEST_US = Number.MIN_SAFE_INTEGER;
const LATEST_US = Number.MAX_SAFE_INTEGER;
/** Below every id: what was made at the very time of `before` is left out. */
const NO_ID = '0';

/** Whoever is actor, or target, or has proven the address that a pending payment went to. */
const LIST = {
  name: 'payments-of-user',
  text: `
    select * from (
      (select ${COLUMNS} from payments p where p.actor_id = $1 and ${FILTERS} ${NEWEST})
      union all
      (select ${COLUMNS} from payments p where p.target_user_id = $1 and p.actor_id <> $1 and ${FILTERS} ${NEWEST})
      union all
      (select ${COLUMNS} from known_addresses mine join payments p
         on p.target_user_id is null and p.target_type = mine.kind and p.target_key = mine.value
       where mine.user_id = $1 and p.status = 'pending' and p.actor_id <> $1 and not exists (
         select 1 from known_addresses newer where newer.kind = mine.kind and newer.value = mine.value
           and (newer.proven_at_us, -newer.user_id) > (mine.proven_at_us, -mine.user_id))
         and ${FILTERS} ${NEWEST})
    ) p ${NEWEST}`,
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

/** Reads the read models: one payment, a person's list, a wallet's balance. */
export class PaymentsQuery {
  constructor(private readonly pool: Pool) {}

  async byId(id: string): Promise<ShownPayment | null> {
    const { rows } = await this.pool.query<Row>({ ...BY_ID, values: [id] });
    return rows[0] === undefined ? null : shown(rows[0]);
  }

  /** A page, newest first, and where the next begins. */
  async list(query: ListPayments): Promise<{ payments: ShownPayment[]; next: PaymentsPage['next'] }> {
    const { viewerId, action, actorIds, statuses, limit, afterUs, beforeUs, beforeId } = query;
    const values = [
      viewerId,
      action,
      actorIds.length === 0 ? null : actorIds,
      statuses.length === 0 ? null : statuses,
      afterUs ?? EARLIEST_US,
      beforeUs ?? LATEST_US,
      beforeId ?? NO_ID,
      limit + 1,
    ];
    const { rows } = await this.pool.query<Row>({ ...LIST, values });
    const payments = rows.map(shown);
    const page = payments.slice(0, limit);
    return { payments: page, next: cursorAfter(page.at(-1), payments[limit]) };
  }

  /** The balance after the wallet's newest line of the journal, cents. */
  async balanceCents(userId: string): Promise<number> {
    const { rows } = await this.pool.query<{ balance_cents: string }>({ ...BALANCE, values: [userId] });
    return Number(rows[0]?.balance_cents ?? 0);
  }
}

function cursorAfter(last: ShownPayment | undefined, following: ShownPayment | undefined): PaymentsPage['next'] {
  if (last === undefined || following === undefined) return null;
  const isTie = last.createdAtUs === following.createdAtUs;
  return { beforeUs: last.createdAtUs, beforeId: isTie ? last.id : null };
}

function shown(row: Row): ShownPayment {
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
