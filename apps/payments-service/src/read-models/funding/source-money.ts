import type { SourceUse } from '@settle/payments-domain';
import type { Pool } from 'pg';

/** Bank transfers that operators book by hand have ids of their own; users' ids are UUIDs. They count for no limit. */
const NOT_BOOKED = `id not like 'bank-%'`;

/** The newest answer to a charge, among the lines of its payment. */
const ANSWER_OF_CHARGE = `select a.event_type, a.refusal_reason from ledger_entries a
  where a.payment_id = e.payment_id and a.wallet_id = e.wallet_id and a.charge_key = e.charge_key
    and a.event_type in ('FundsAdded', 'FundingDeclined', 'DebitRefused') order by a.revision desc limit 1`;

const USE = {
  name: 'use-of-source',
  text: `with charges as (
      select amount_cents as cents, status = 'requested' as is_open, status = 'failed' as is_refused,
        reason is distinct from 'cancelled' as is_decline, created_us
      from funding where user_id = $1 and created_us > $2 and kind = 'deposit' and ${NOT_BOOKED}
      union all
      select p.amount_cents + p.fee_cents, answer.event_type is null, answer.event_type <> 'FundsAdded',
        answer.refusal_reason is distinct from 'funding_cancelled', e.source_us
      from ledger_entries e join payments p on p.id = e.payment_id left join lateral (${ANSWER_OF_CHARGE}) answer on true
      where e.wallet_id = $1 and e.source_us > $2 and e.amount_cents = 0 and e.event_type = 'FundingRequested')
    select coalesce(sum(cents) filter (where is_refused is not true), 0) as "usedCents",
      count(*) filter (where is_open or (is_refused and is_decline)) as "declinedOrOpen",
      min(created_us) filter (where is_refused is not true or is_decline) as "oldestUs"
    from charges`,
};
const WITHDRAWN = {
  name: 'withdrawn-by-user',
  text: `select coalesce(sum(amount_cents), 0) as cents from funding
    where user_id = $1 and created_us > $2 and kind = 'withdrawal' and status not in ('failed', 'cancelled')
      and ${NOT_BOOKED}`,
};
const HELD = {
  name: 'held-in-wallet',
  text: `select coalesce(sum(amount_cents), 0) as cents from ledger_entries
    where wallet_id = $1 and source_us > $2 and amount_cents > 0 and revision <= $3`,
};

/** The largest revision that the journal can hold. */
const EVERY_REVISION = 2_147_483_647;

/** The use of a user's source, and when it was used first within the time that counts; null: not at all. */
export interface StoredSourceUse extends SourceUse {
  readonly oldestUs: number | null;
}

interface CentsRow {
  readonly cents: string;
}

/** Sums of the read models about money from and to users' sources, on which its limits depend. Errors: the database's. */
export class SourceMoney {
  constructor(private readonly pool: Pool) {}

  /** Returns the charges of the user's source after `sinceUs`, for deposits and payments. */
  async readUse(userId: string, sinceUs: number): Promise<StoredSourceUse> {
    const { rows } = await this.pool.query<Record<keyof StoredSourceUse, string | null>>({
      ...USE,
      values: [userId, sinceUs],
    });
    const { usedCents = 0, declinedOrOpen = 0, oldestUs = null } = rows[0] ?? {};
    return {
      usedCents: Number(usedCents),
      declinedOrOpen: Number(declinedOrOpen),
      oldestUs: oldestUs === null ? null : Number(oldestUs),
    };
  }

  /** Returns the cents that the user has requested to withdraw after `sinceUs`, without those that came to nothing. */
  async readWithdrawnCents(userId: string, sinceUs: number): Promise<number> {
    const { rows } = await this.pool.query<CentsRow>({ ...WITHDRAWN, values: [userId, sinceUs] });
    return Number(rows[0]?.cents ?? 0);
  }

  /**
   * Returns the cents that came into the wallet from a source after `sinceUs`.
   * @param toRevision the newest revision of the wallet that counts
   */
  async readHeldCents(userId: string, sinceUs: number, toRevision = EVERY_REVISION): Promise<number> {
    const { rows } = await this.pool.query<CentsRow>({ ...HELD, values: [userId, sinceUs, toRevision] });
    return Number(rows[0]?.cents ?? 0);
  }
}
