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
 * Pending pays to addresses of these owners. Those who may not claim are left out here: as many of their pays as one
 * look takes would hide everybody else's.
 */
const claimableOf = (owners: string, limit: string) => `
  select p.id as payment_id, owner.user_id as claimant_id
  from (${owners}) owner
  join known_users claimant on claimant.user_id = owner.user_id
    and claimant.record @> '{"isFrozen": false, "isBusiness": false}'
  join payments p on p.target_user_id is null and p.target_type = owner.kind and p.target_key = owner.value
  where p.status = 'pending' and p.mode = 'hold'
  order by p.id limit ${limit}`;

/** The newest proof of an address wins. */
const CLAIMABLE = {
  name: 'claimable-pays',
  text: claimableOf(
    `select distinct on (kind, value) kind, value, user_id from known_addresses
     order by kind, value, proven_at_us desc, user_id`,
    '$1',
  ),
};
/** Apart from the sweep: a statement that serves both reads every address whenever one is proven. */
const CLAIMABLE_AT = {
  name: 'claimable-pays-at',
  text: claimableOf(
    `select asked.kind, asked.value, newest.user_id
     from (select distinct kind, value from unnest($1::text[], $2::text[]) as named (kind, value)) asked
     cross join lateral (
       select user_id from known_addresses a where a.kind = asked.kind and a.value = asked.value
       order by proven_at_us desc, user_id limit 1
     ) newest`,
    '$3',
  ),
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
    const query =
      addresses === null
        ? { ...CLAIMABLE, values: [limit] }
        : { ...CLAIMABLE_AT, values: [addresses.map(({ kind }) => kind), addresses.map(({ value }) => value), limit] };
    const { rows } = await this.pool.query<{ payment_id: string; claimant_id: string }>(query);
    return rows.map(({ payment_id: paymentId, claimant_id: claimantId }) => ({ paymentId, claimantId }));
  }
}
