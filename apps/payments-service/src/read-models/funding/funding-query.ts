import type { FundingItem } from '@settle/contracts';
import type { Pool } from 'pg';
import { fundingItemOf, type FundingPage, type ShownFunding } from './funding-item.js';

/** Newest answer to a charge or to its repayment, among the lines of its payment. */
const ANSWER = `select a.event_type, a.refusal_reason, a.refusal_code from ledger_entries a
  where a.payment_id = e.payment_id and a.wallet_id = e.wallet_id and a.charge_key = e.charge_key
    and a.event_type in ('FundsAdded', 'FundingDeclined', 'DebitRefused', 'FundsWithdrawn', 'WithdrawalReversed')
  order by a.revision desc limit 1`;

/** Why a charge brought no money, as `FundingReason`. */
const REASON = `case when coalesce(answer.refusal_reason, e.refusal_reason) = 'funding_cancelled' then 'cancelled'
  else coalesce(answer.refusal_code, e.refusal_code) end`;

/** Charges of payments, and those that a limit refused before the provider was asked. */
const CHARGES = `select 'charge' as kind,
    coalesce(e.charge_key, e.payment_id || ':' || e.wallet_id || ':' || e.attempt) as id, p.id as payment_id,
    p.amount_cents + p.fee_cents as amount_cents,
    case when e.event_type = 'DebitRefused' then 'failed' when answer.event_type is null then 'requested'
      when answer.event_type in ('FundsAdded', 'WithdrawalReversed') then 'settled'
      when answer.event_type = 'FundsWithdrawn' then 'returned' else 'failed' end as status,
    ${REASON} as reason, null as act, e.source_us as created_us
  from ledger_entries e join payments p on p.id = e.payment_id left join lateral (${ANSWER}) answer on true
  where e.wallet_id = $1 and e.source_us < $2 and e.amount_cents = 0
    and (e.event_type = 'FundingRequested' or (e.event_type = 'DebitRefused' and e.charge_key is null))
  order by e.source_us desc limit $3`;

const ITEMS = {
  name: 'funding-of-user',
  text: `select item.kind, item.id, item.payment_id as "paymentId", item.amount_cents::float8 as "amountCents", item.status,
      item.reason, item.act, item.created_us::float8 as "createdUs", page.url, page.expires_at as "expiresAt"
    from (
      (select kind, id, payment_id, amount_cents, status, reason, act, created_us from funding
        where user_id = $1 and created_us < $2 order by created_us desc limit $3)
      union all (${CHARGES})) item
    left join funding_pages page on page.charge_key = item.id and page.until_us > $4
      and item.kind in ('deposit', 'charge') and item.status = 'requested'
    order by item.created_us desc limit $3`,
};
const PAGE = {
  name: 'page-of-charge',
  text: 'select url, expires_at as "expiresAt" from funding_pages where charge_key = $1 and until_us > $2',
};

interface ItemRow extends Omit<ShownFunding, 'page'> {
  readonly url: string | null;
  readonly expiresAt: string | null;
}

export interface FundingItems {
  /** Newest first. */
  readonly items: readonly FundingItem[];
  /** Continues after the last item; null at the end. Microseconds since 1970. */
  readonly nextBeforeUs: number | null;
}

/** Queries what happened to a user's money from and to the outside. Errors: the database's. */
export class FundingQuery {
  constructor(private readonly pool: Pool) {}

  /** @param beforeUs only items before this time; null: the newest */
  async readItems(
    userId: string,
    { beforeUs, limit, nowUs }: { readonly beforeUs: number | null; readonly limit: number; readonly nowUs: number },
  ): Promise<FundingItems> {
    const values = [userId, beforeUs ?? Number.MAX_SAFE_INTEGER, limit + 1, nowUs];
    const { rows } = await this.pool.query<ItemRow>({ ...ITEMS, values });
    const shown = rows.slice(0, limit);
    const items = shown.map(({ url, expiresAt, ...row }) =>
      fundingItemOf({ ...row, page: url === null || expiresAt === null ? null : { url, expiresAt } }),
    );
    return { items, nextBeforeUs: rows.length > limit ? (shown.at(-1)?.createdUs ?? null) : null };
  }

  /** Returns the page on which the user must confirm the charge; null if there is none. */
  async findPage(chargeKey: string, nowUs: number): Promise<FundingPage | null> {
    const { rows } = await this.pool.query<FundingPage>({ ...PAGE, values: [chargeKey, nowUs] });
    return rows[0] ?? null;
  }
}
