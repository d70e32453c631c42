import {
  usersStateKey,
  type AddressKind,
  type PairRecord,
  type UserRecord,
  type UsersStateRecord,
} from '@settle/contracts';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';

const KEPT = 100_000;

const FIND_PERSON = { name: 'known-person', text: 'select record from known_people where key = $1' };
const FIND_OWNER = {
  name: 'known-address',
  text: `select user_id from known_addresses where kind = $1 and value = $2 order by proven_at_us desc, user_id limit 1`,
};
const SAVE_RECORD = `
  insert into known_people (key, version, record)
  select key, version, record from jsonb_to_recordset($1::jsonb) as r(key text, version int, record jsonb)
  on conflict (key) do update set version = excluded.version, record = excluded.record
  where known_people.version < excluded.version
  returning key`;
const DROP_ADDRESSES = 'delete from known_addresses where user_id = any($1::bigint[])';
const SAVE_ADDRESSES = `
  insert into known_addresses (kind, value, user_id, proven_at_us)
  select kind, value, user_id, proven_at_us
  from jsonb_to_recordset($1::jsonb) as a(kind text, value text, user_id bigint, proven_at_us bigint)`;

export interface OwnedAddress {
  readonly kind: AddressKind;
  readonly value: string;
  readonly userId: string;
}

/** `null` is kept too: that there is no such record. */
type Kept = { readonly record: UsersStateRecord | null };

/**
 * The payments service's own copy of people, friendships and addresses, kept from `users.state.v1`. Read through
 * memory; what an update changes is dropped from memory once it is committed.
 */
export class KnownPeople {
  readonly #records = new LRUCache<string, Kept>({ max: KEPT });
  readonly #owners = new LRUCache<string, { readonly userId: string | null }>({ max: KEPT });

  constructor(private readonly pool: Pool) {}

  /** Whether anybody is known at all. */
  async isFilled(): Promise<boolean> {
    const { rows } = await this.pool.query('select from known_people limit 1');
    return rows.length > 0;
  }

  async user(userId: string): Promise<UserRecord | null> {
    const record = await this.#find(`user:${userId}`);
    return record?.kind === 'user' ? record : null;
  }

  /** All of them, in no order; those that nobody knows are missing. */
  async users(userIds: Iterable<string>): Promise<Map<string, UserRecord>> {
    const found = new Map<string, UserRecord>();
    for (const userId of userIds) {
      const user = found.get(userId) ?? (await this.user(userId));
      if (user !== null) found.set(userId, user);
    }
    return found;
  }

  /** What two people are to each other; null when they never met. */
  async pair(low: string, high: string): Promise<PairRecord | null> {
    const record = await this.#find(`pair:${low}:${high}`);
    return record?.kind === 'pair' ? record : null;
  }

  /** Who has proven this normalised address last; null when nobody has. */
  async ownerOf(kind: AddressKind, value: string): Promise<string | null> {
    const key = `${kind}:${value}`;
    const kept = this.#owners.get(key);
    if (kept !== undefined) return kept.userId;
    const { rows } = await this.pool.query<{ user_id: string }>({ ...FIND_OWNER, values: [kind, value] });
    const userId = rows[0]?.user_id ?? null;
    this.#owners.set(key, { userId });
    return userId;
  }

  /** Takes in whole records, older ones than known ignored, in one transaction. @returns addresses of those taken */
  async save(records: readonly UsersStateRecord[]): Promise<OwnedAddress[]> {
    const newest = new Map<string, UsersStateRecord>();
    for (const record of records) {
      const key = usersStateKey(record);
      if ((newest.get(key)?.version ?? -1) < record.version) newest.set(key, record);
    }
    const rows = [...newest].map(([key, record]) => ({ key, version: record.version, record }));
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      const saved = await client.query<{ key: string }>(SAVE_RECORD, [JSON.stringify(rows)]);
      const users = saved.rows.map(({ key }) => newest.get(key)).filter((record) => record?.kind === 'user');
      const addresses = users.flatMap(addressesOf);
      await client.query(DROP_ADDRESSES, [users.map(({ card }) => card.id)]);
      await client.query(SAVE_ADDRESSES, [
        JSON.stringify(addresses.map(({ userId, ...address }) => ({ ...address, user_id: userId }))),
      ]);
      await client.query('commit');
      for (const key of newest.keys()) this.#records.delete(key);
      this.#owners.clear();
      return addresses;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  async #find(key: string): Promise<UsersStateRecord | null> {
    const kept = this.#records.get(key);
    if (kept !== undefined) return kept.record;
    const { rows } = await this.pool.query<{ record: UsersStateRecord }>({ ...FIND_PERSON, values: [key] });
    const record = rows[0]?.record ?? null;
    this.#records.set(key, { record });
    return record;
  }
}

function addressesOf({ card, addresses }: UserRecord): (OwnedAddress & { proven_at_us: number })[] {
  return addresses.map(({ kind, value, provenAtUs }) => ({ kind, value, userId: card.id, proven_at_us: provenAtUs }));
}
