import type { Pool } from 'pg';
import type { OwnedAddress } from '../people/save-records.js';
import type { WorkAct } from '../projections/open-work/open-work.js';

const PUT_OFF_US = 10_000_000;

const DUE = {
  name: 'due-work',
  text: 'select payment_id, act from open_work where due_us <= $1 order by due_us limit $2',
};
const PUT_OFF = {
  name: 'put-off-work',
  text: 'update open_work set due_us = $2 where payment_id = $1 and due_us < $2',
};

/**
 * Pending pays whose address somebody has proven; the newest proof of an address wins. Those who may not claim are left
 * out here: as many of their pays as one look takes would hide everybody else's.
 */
const CLAIMABLE = {
  name: 'claimable-pays',
  text: `
    select p.id as payment_id, owner.user_id as claimant_id
    from (
      select distinct on (kind, value) kind, value, user_id from known_addresses
      where $1::text[] is null or (kind, value) in (select * from unnest($1::text[], $2::text[]))
      order by kind, value, proven_at_us desc, user_id
    ) owner
    join known_users claimant on claimant.user_id = owner.user_id
      and claimant.record @> '{"isFrozen": false, "isBusiness": false}'
    join payments p on p.target_user_id is null and p.target_type = owner.kind and p.target_key = owner.value
    where p.status = 'pending' and p.mode = 'hold'
    order by p.id limit $3`,
};

export interface DueRow {
  readonly paymentId: string;
  readonly act: WorkAct;
}

export interface Claimable {
  readonly paymentId: string;
  readonly claimantId: string;
}

/** The worker's view of the read models. */
export class DueWork {
  constructor(private readonly pool: Pool) {}

  async take(nowUs: number, limit: number): Promise<DueRow[]> {
    const { rows } = await this.pool.query<{ payment_id: string; act: WorkAct }>({ ...DUE, values: [nowUs, limit] });
    return rows.map(({ payment_id: paymentId, act }) => ({ paymentId, act }));
  }

  /** Makes room for others before a payment that could not be brought on comes again. */
  async putOff(paymentId: string, nowUs: number): Promise<void> {
    await this.pool.query({ ...PUT_OFF, values: [paymentId, nowUs + PUT_OFF_US] });
  }

  /** @param addresses null: all that are proven */
  async claimable(addresses: readonly OwnedAddress[] | null, limit: number): Promise<Claimable[]> {
    const kinds = addresses?.map(({ kind }) => kind) ?? null;
    const normalised = addresses?.map(({ value }) => value) ?? null;
    const { rows } = await this.pool.query<{ payment_id: string; claimant_id: string }>({
      ...CLAIMABLE,
      values: [kinds, normalised, limit],
    });
    return rows.map(({ payment_id: paymentId, claimant_id: claimantId }) => ({ paymentId, claimantId }));
  }
}
