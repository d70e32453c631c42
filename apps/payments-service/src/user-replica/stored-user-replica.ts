import type { AddressKind, UserRecord, UsersStateRecord } from '@settle/contracts';
import { CoalescingLoader } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Pool } from 'pg';
import type { UserReplica, TwoUsers } from './user-replica.js';
import { saveRecords, type OwnedAddress } from './save-records.js';

const { usersPerQuery } = LIMITS.payments;

const FIND_USERS = {
  name: 'known-users',
  text: `select k.record from unnest($1::bigint[]) with ordinality as asked (user_id, at)
    left join known_users k using (user_id) order by asked.at`,
};
const FIND_TWO = {
  name: 'known-two',
  text: `select a.record as one, b.record as other, p.record as pair
    from unnest($1::bigint[], $2::bigint[]) with ordinality as asked (one_id, other_id, at)
    left join known_users a on a.user_id = one_id
    left join known_users b on b.user_id = other_id
    left join known_pairs p on p.low = least(one_id, other_id) and p.high = greatest(one_id, other_id)
    order by asked.at`,
};
const FIND_OWNERS = {
  name: 'known-addresses',
  text: `select (
      select a.user_id from known_addresses a where a.kind = asked.kind and a.value = asked.value
      order by a.proven_at_us desc, a.user_id limit 1) as user_id
    from unnest($1::text[], $2::text[]) with ordinality as asked (kind, value, at) order by asked.at`,
};

/**
 * The replica of the live users, consumed from `users.state.v1`. Reads the tables at every call and caches nothing: another instance may have consumed an update, and an operator who
 * froze an account relies on it everywhere.
 */
export class StoredUserReplica implements UserReplica {
  readonly #users = new CoalescingLoader(usersPerQuery, (userIds: readonly string[]) => this.#readUsers(userIds));
  readonly #pairs = new CoalescingLoader(usersPerQuery, (asked: readonly UserIds[]) => this.#readPairs(asked));
  readonly #owners = new CoalescingLoader(usersPerQuery, (addresses: readonly Address[]) =>
    this.#readOwners(addresses),
  );

  constructor(protected readonly pool: Pool) {}

  /** Whether the replica has any user. */
  async isFilled(): Promise<boolean> {
    const { rows } = await this.pool.query('select from known_users limit 1');
    return rows.length > 0;
  }

  findUser(userId: string): Promise<UserRecord | null> {
    return this.#users.load(userId);
  }

  async findTwo(userId: string, otherId: string): Promise<TwoUsers> {
    return (await this.#pairs.load({ userId, otherId })) ?? { one: null, other: null, pair: null };
  }

  findOwner(kind: AddressKind, value: string): Promise<string | null> {
    return this.#owners.load({ kind, value });
  }

  /** Saves whole records in one transaction, ignoring those older than the replica's. @returns newly verified addresses */
  async save(records: readonly UsersStateRecord[]): Promise<readonly OwnedAddress[]> {
    return (await saveRecords(this.pool, records)).newlyVerified;
  }

  async #readUsers(userIds: readonly string[]): Promise<(UserRecord | null)[]> {
    const { rows } = await this.pool.query<{ record: UserRecord | null }>({ ...FIND_USERS, values: [userIds] });
    return rows.map(({ record }) => record);
  }

  async #readPairs(asked: readonly UserIds[]): Promise<TwoUsers[]> {
    const values = [asked.map(({ userId }) => userId), asked.map(({ otherId }) => otherId)];
    const { rows } = await this.pool.query<TwoUsers>({ ...FIND_TWO, values });
    return rows;
  }

  async #readOwners(addresses: readonly Address[]): Promise<(string | null)[]> {
    const values = [addresses.map(({ kind }) => kind), addresses.map(({ value }) => value)];
    const { rows } = await this.pool.query<{ user_id: string | null }>({ ...FIND_OWNERS, values });
    return rows.map(({ user_id }) => user_id);
  }
}

interface UserIds {
  readonly userId: string;
  readonly otherId: string;
}
type Address = Pick<OwnedAddress, 'kind' | 'value'>;
