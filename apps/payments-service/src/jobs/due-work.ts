import { LIMITS } from '@settle/config';
import type { Pool } from 'pg';
import type { OwnedAddress } from '../user-replica/save-records.js';
import type { WorkAct } from '../read-models/open-work/open-work.js';

const PUT_OFF_US = 10_000_000;

const DUE = {
  name: 'due-work',
  text: `select payment_id, owner_id from open_work where act = $1 and since_us <= $2
    order by since_us, payment_id limit $3 offset $4`,
};
const PUT_OFF = {
  name: 'put-off-work',
  text: 'update open_work set since_us = $3 where payment_id = $1 and act = $2 and since_us < $3',
};

/**
 * Who may claim what was sent to an address: its newest proof wins, and those who may not claim are left out here. As a
 * subquery for each row, so that its cost does not grow with the people and their proofs.
 */
const claimantOf = (kind: string, value: string) => `(
  select claimant.user_id from known_users claimant
  where claimant.record @> '{"isFrozen": false, "isBusiness": false}' and claimant.user_id = (
    select a.user_id from known_addresses a where a.kind = ${kind} and a.value = ${value}
    order by a.proven_at_us desc, a.user_id limit 1))`;

const HELD = {
  name: 'held-pays',
  text: `select payment_id, case when resolves_user(actor_id, claimant_id) then claimant_id end as claimant_id from (
      select p.id as payment_id, p.actor_id, ${claimantOf('p.target_type', 'p.target_key')} as claimant_id
      from payments p where p.status = 'pending' and p.mode = 'hold' and p.id > $1 order by p.id limit $2) held
    order by payment_id`,
};
const CLAIMABLE_AT = {
  name: 'claimable-pays-at',
  text: `select p.id as payment_id, asked.claimant_id
    from (
      select kind, value, ${claimantOf('named.kind', 'named.value')} as claimant_id
      from (select distinct kind, value from unnest($1::text[], $2::text[]) as given (kind, value)) named
      offset 0
    ) asked
    join payments p on p.target_user_id is null and p.target_type = asked.kind and p.target_key = asked.value
    where asked.claimant_id is not null and p.status = 'pending' and p.mode = 'hold'
      and resolves_user(p.actor_id, asked.claimant_id)
    order by p.id limit $3`,
};
/** Below every id. */
const FIRST = '0';

export interface DueRow {
  readonly paymentId: string;
  readonly act: WorkAct;
  /** Whose wallet the work is on. */
  readonly ownerId: string;
}

export interface Claimable {
  readonly paymentId: string;
  readonly claimantId: string;
}

export interface DueWorkOptions {
  /** How long each act waits, by the settings of today. */
  readonly waitUs: Readonly<Record<WorkAct, number>>;
  /** Whether what is to be done on this user's wallet is for this instance to do. */
  readonly isOurs: (userId: string) => boolean;
}

/** This instance's share of what the read models say is to be done. */
export class DueWork {
  /** The last held pay that was looked at. */
  #heldUpTo = FIRST;

  constructor(
    private readonly pool: Pool,
    private readonly options: DueWorkOptions,
  ) {}

  /** What is due, unfinished payments first: their money is in transit. */
  async take(nowUs: number, limit: number): Promise<DueRow[]> {
    const unfinished = await this.#due('finish', nowUs, limit);
    const expiring = await this.#due('expire', nowUs, limit - unfinished.length);
    return [...unfinished, ...expiring];
  }

  /** Makes room for others before a payment that could not be brought on comes again. */
  async putOff({ paymentId, act }: DueRow, nowUs: number): Promise<void> {
    await this.pool.query({ ...PUT_OFF, values: [paymentId, act, nowUs + PUT_OFF_US - this.options.waitUs[act]] });
  }

  /** The oldest of ours, looked for among so many pages of everybody's. */
  async #due(act: WorkAct, nowUs: number, limit: number): Promise<DueRow[]> {
    const { workerRows: pageRows, workerPages } = LIMITS.payments;
    const ours: DueRow[] = [];
    for (let page = 0; page < workerPages && ours.length < limit; page += 1) {
      const values = [act, nowUs - this.options.waitUs[act], pageRows, page * pageRows];
      const { rows } = await this.pool.query<{ payment_id: string; owner_id: string }>({ ...DUE, values });
      for (const { payment_id: paymentId, owner_id: ownerId } of rows) {
        if (this.options.isOurs(ownerId)) ours.push({ paymentId, act, ownerId });
      }
      if (rows.length < pageRows) break;
    }
    return ours.slice(0, limit);
  }

  /** The first pending pays to these addresses whose owner may have them. */
  async claimableAt(addresses: readonly Pick<OwnedAddress, 'kind' | 'value'>[], limit: number): Promise<Claimable[]> {
    const values = [addresses.map(({ kind }) => kind), addresses.map(({ value }) => value), limit];
    const { rows } = await this.pool.query<HeldRow>({ ...CLAIMABLE_AT, values });
    return rows.flatMap(claimable).filter(({ claimantId }) => this.options.isOurs(claimantId));
  }

  /**
   * Looks at the next `looks` held pays, after the last one the first again, and answers with at most `limit` of them
   * whose address has an owner who may have them. So claims that fail time and again hide no other for long.
   */
  async nextClaimable(looks: number, limit: number): Promise<Claimable[]> {
    const { rows } = await this.pool.query<HeldRow>({ ...HELD, values: [this.#heldUpTo, looks] });
    const found = rows.flatMap(claimable).filter(({ claimantId }) => this.options.isOurs(claimantId));
    const taken = found.slice(0, limit);
    const isCut = taken.length < found.length;
    const last = isCut ? taken.at(-1)?.paymentId : rows.at(-1)?.payment_id;
    this.#heldUpTo = last === undefined || (!isCut && rows.length < looks) ? FIRST : last;
    return taken;
  }
}

interface HeldRow {
  readonly payment_id: string;
  readonly claimant_id: string | null;
}

function claimable({ payment_id: paymentId, claimant_id: claimantId }: HeldRow): Claimable[] {
  return claimantId === null ? [] : [{ paymentId, claimantId }];
}
