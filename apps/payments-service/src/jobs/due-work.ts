import type { Pool } from 'pg';
import type { OwnedAddress } from '../user-replica/save-records.js';
import type { WorkAct } from '../read-models/open-work/open-work.js';
import { PUT_OFF_US, findOwnedRows } from './owned-rows.js';

const DUE = {
  name: 'due-work',
  text: `select payment_id as "paymentId", act, owner_id as "ownerId" from open_work where act = $1 and since_us <= $2
    order by since_us, payment_id limit $3 offset $4`,
};
const PUT_OFF = {
  name: 'put-off-work',
  text: 'update open_work set since_us = $3 where payment_id = $1 and act = $2 and since_us < $3',
};

/**
 * SQL of the user who may claim payments to an address: the one with the newest verification, unless frozen or a
 * business. A subquery for each row, so that its cost does not grow with the number of users and addresses.
 */
const claimantOf = (kind: string, value: string) => `(
  select claimant.user_id from known_users claimant
  where claimant.record @> '{"isFrozen": false, "isBusiness": false}' and claimant.user_id = (
    select a.user_id from known_addresses a where a.kind = ${kind} and a.value = ${value}
    order by a.proven_at_us desc, a.user_id limit 1))`;

const HELD = {
  name: 'held-pays',
  text: `select payment_id as "paymentId", case when resolves_user(actor_id, claimant_id) then claimant_id end as "claimantId" from (
      select p.id as payment_id, p.actor_id, ${claimantOf('p.target_type', 'p.target_key')} as claimant_id
      from payments p where p.status = 'pending' and p.mode = 'hold' and p.id > $1 order by p.id limit $2) held
    order by payment_id`,
};
const CLAIMABLE_AT = {
  name: 'claimable-pays-at',
  text: `select p.id as "paymentId", asked.claimant_id as "claimantId"
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
  /** Owner of the wallet that the work changes. */
  readonly ownerId: string;
}

export interface Claimable {
  readonly paymentId: string;
  readonly claimantId: string;
}

/** Finds the open work that is due and belongs to this instance. */
export class DueWork {
  /** Id of the held pay at which the last sweep ended. */
  #sweptUpTo = FIRST;

  /**
   * @param waitUs waiting time of each act according to the current settings
   * @param owns whether this instance owns the user's wallet
   */
  constructor(
    private readonly pool: Pool,
    private readonly waitUs: Readonly<Record<WorkAct, number>>,
    private readonly owns: (userId: string) => boolean,
  ) {}

  /** Returns what is due, incomplete payments first: their money is in transit. */
  async findDue(nowUs: number, limit: number): Promise<DueRow[]> {
    const unfinished = await this.#due('finish', nowUs, limit);
    const expiring = await this.#due('expire', nowUs, limit - unfinished.length);
    return [...unfinished, ...expiring];
  }

  /** Returns the payments for which the provider is to be asked. They take no place from other work. */
  findDueFunding(nowUs: number, limit: number): Promise<DueRow[]> {
    return this.#due('funding', nowUs, limit);
  }

  /** Postpones work that failed, so that other work comes first. */
  postpone(row: DueRow, nowUs: number): Promise<void> {
    return this.postponeUntil(row, nowUs + PUT_OFF_US);
  }

  /** Postpones work until a time in microseconds since 1970. */
  async postponeUntil({ paymentId, act }: DueRow, dueUs: number): Promise<void> {
    await this.pool.query({ ...PUT_OFF, values: [paymentId, act, dueUs - this.waitUs[act]] });
  }

  /** Returns the oldest work of this instance. */
  #due(act: WorkAct, nowUs: number, limit: number): Promise<DueRow[]> {
    const readPage = (...page: [limit: number, offset: number]) =>
      this.pool.query<DueRow>({ ...DUE, values: [act, nowUs - this.waitUs[act], ...page] });
    return findOwnedRows(readPage, ({ ownerId }) => this.owns(ownerId), limit);
  }

  /** Returns the first pending pays to these addresses that their owner may claim. */
  async findClaimableAt(
    addresses: readonly Pick<OwnedAddress, 'kind' | 'value'>[],
    limit: number,
  ): Promise<Claimable[]> {
    const values = [addresses.map(({ kind }) => kind), addresses.map(({ value }) => value), limit];
    const { rows } = await this.pool.query<HeldRow>({ ...CLAIMABLE_AT, values });
    return this.#ownClaims(rows);
  }

  /**
   * Examines the next `examined` held pays, starting over after the last one, and returns at most `limit` of them that an
   * owner may claim. Claims that fail repeatedly therefore hide no others for long.
   */
  async findNextClaimable(examined: number, limit: number): Promise<Claimable[]> {
    const { rows } = await this.pool.query<HeldRow>({ ...HELD, values: [this.#sweptUpTo, examined] });
    const found = this.#ownClaims(rows);
    const taken = found.slice(0, limit);
    const isCut = taken.length < found.length;
    const last = isCut ? taken.at(-1)?.paymentId : rows.at(-1)?.paymentId;
    this.#sweptUpTo = last === undefined || (!isCut && rows.length < examined) ? FIRST : last;
    return taken;
  }

  #ownClaims(rows: readonly HeldRow[]): Claimable[] {
    return rows.filter((row): row is Claimable => row.claimantId !== null && this.owns(row.claimantId));
  }
}

interface HeldRow {
  readonly paymentId: string;
  readonly claimantId: string | null;
}
