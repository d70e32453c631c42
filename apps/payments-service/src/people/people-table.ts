import {
  compareIds,
  type AddressKind,
  type PairRecord,
  type UserRecord,
  type UsersStateRecord,
} from '@settle/contracts';
import type { Pool } from 'pg';
import { GatheredLookUp } from './gathered-look-up.js';
import type { KnownPeople } from './known-people.js';
import { saveRecords, type OwnedAddress } from './save-records.js';

const FIND_USERS = {
  name: 'known-users',
  text: `select k.record from unnest($1::bigint[]) with ordinality as asked (user_id, at)
    left join known_users k using (user_id) order by asked.at`,
};
const FIND_PAIRS = {
  name: 'known-pairs-of-two',
  text: `select k.record from unnest($1::bigint[], $2::bigint[]) with ordinality as asked (low, high, at)
    left join known_pairs k using (low, high) order by asked.at`,
};
const FIND_OWNERS = {
  name: 'known-addresses',
  text: `select (
      select a.user_id from known_addresses a where a.kind = asked.kind and a.value = asked.value
      order by a.proven_at_us desc, a.user_id limit 1) as user_id
    from unnest($1::text[], $2::text[]) with ordinality as asked (kind, value, at) order by asked.at`,
};

/**
 * Reads the tables whenever it is asked, keeping nothing: another instance may have taken in an update, and who was
 * told that an account is frozen relies on it everywhere.
 */
export class PeopleTable implements KnownPeople {
  readonly #users = new GatheredLookUp((userIds: readonly string[]) => this.#readUsers(userIds));
  readonly #pairs = new GatheredLookUp((pairs: readonly Pair[]) => this.#readPairs(pairs));
  readonly #owners = new GatheredLookUp((addresses: readonly Address[]) => this.#readOwners(addresses));

  constructor(private readonly pool: Pool) {}

  async isFilled(): Promise<boolean> {
    const { rows } = await this.pool.query('select from known_users limit 1');
    return rows.length > 0;
  }

  user(userId: string): Promise<UserRecord | null> {
    return this.#users.find(userId);
  }

  async users(userIds: Iterable<string>): Promise<Map<string, UserRecord>> {
    const asked = [...new Set(userIds)];
    const found = await Promise.all(asked.map((userId) => this.user(userId)));
    return new Map(asked.flatMap((userId, at) => (found[at] ? [[userId, found[at]]] : [])));
  }

  pair(userId: string, otherId: string): Promise<PairRecord | null> {
    const [low, high] = compareIds(userId, otherId) < 0 ? [userId, otherId] : [otherId, userId];
    return this.#pairs.find({ low, high });
  }

  ownerOf(kind: AddressKind, value: string): Promise<string | null> {
    return this.#owners.find({ kind, value });
  }

  save(records: readonly UsersStateRecord[]): Promise<OwnedAddress[]> {
    return saveRecords(this.pool, records);
  }

  async #readUsers(userIds: readonly string[]): Promise<(UserRecord | null)[]> {
    const { rows } = await this.pool.query<{ record: UserRecord | null }>({ ...FIND_USERS, values: [userIds] });
    return rows.map(({ record }) => record);
  }

  async #readPairs(pairs: readonly Pair[]): Promise<(PairRecord | null)[]> {
    const values = [pairs.map(({ low }) => low), pairs.map(({ high }) => high)];
    const { rows } = await this.pool.query<{ record: PairRecord | null }>({ ...FIND_PAIRS, values });
    return rows.map(({ record }) => record);
  }

  async #readOwners(addresses: readonly Address[]): Promise<(string | null)[]> {
    const values = [addresses.map(({ kind }) => kind), addresses.map(({ value }) => value)];
    const { rows } = await this.pool.query<{ user_id: string | null }>({ ...FIND_OWNERS, values });
    return rows.map(({ user_id }) => user_id);
  }
}

type Pair = Pick<PairRecord, 'low' | 'high'>;
type Address = Pick<OwnedAddress, 'kind' | 'value'>;
