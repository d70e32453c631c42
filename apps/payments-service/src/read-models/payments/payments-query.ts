import type { ResultCache } from '@settle/concurrency';
import type { ListPayments, PaymentsPage } from '@settle/contracts';
import type { Pool } from 'pg';
import { PAYMENT_COLUMNS, listStatement } from './list-statements.js';
import { CHANGED_KEY } from '../../storage/changed-keys.js';
import type { PaymentRow } from './payment-row.js';

const BY_ID = { name: 'payment-by-id', text: `select ${PAYMENT_COLUMNS} from payments p where p.id = $1` };
const BALANCE = {
  name: 'balance-of-wallet',
  text: 'select balance_cents from ledger_entries where wallet_id = $1 order by revision desc limit 1',
};

/** Size of a kept balance, with its key. */
export const BALANCE_BYTES = 200;

/** Queries of the read models: a payment, a user's list, a wallet's balance. */
export class PaymentsQuery {
  /**
   * @param openingCents balance of a wallet without journal lines
   * @param balances null: every balance is read
   */
  constructor(
    private readonly pool: Pool,
    private readonly openingCents: number,
    private readonly balances: ResultCache<number> | null,
  ) {}

  async findPayment(id: string): Promise<PaymentRow | null> {
    const { rows } = await this.pool.query<PaymentRow>({ ...BY_ID, values: [id] });
    return rows[0] ?? null;
  }

  /** Returns a page, newest first, and where the next one begins. */
  async list(query: ListPayments): Promise<{ payments: PaymentRow[]; next: PaymentsPage['next'] }> {
    const { limit } = query;
    const { rows: payments } = await this.pool.query<PaymentRow>(listStatement(query));
    const page = payments.slice(0, limit);
    return { payments: page, next: cursorAfter(page.at(-1), payments[limit]) };
  }

  /** Returns the balance after the wallet's newest journal line, in cents. */
  readBalanceCents(userId: string): Promise<number> {
    if (this.balances === null) return this.#readBalanceCents(userId);
    return this.balances.get(userId, async () => ({
      result: await this.#readBalanceCents(userId),
      dependsOn: [CHANGED_KEY.wallet(userId)],
      bytes: BALANCE_BYTES,
    }));
  }

  async #readBalanceCents(userId: string): Promise<number> {
    const { rows } = await this.pool.query<{ balance_cents: string }>({ ...BALANCE, values: [userId] });
    return Number(rows[0]?.balance_cents ?? this.openingCents);
  }
}

function cursorAfter(last: PaymentRow | undefined, following: PaymentRow | undefined): PaymentsPage['next'] {
  if (last === undefined || following === undefined) return null;
  const isTie = last.createdAtUs === following.createdAtUs;
  return { beforeUs: last.createdAtUs, beforeId: isTie ? last.id : null };
}
