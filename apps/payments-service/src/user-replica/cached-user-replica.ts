import type { ChangeTracker } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { AddressKind, PairRecord, UserRecord, UsersStateRecord } from '@settle/contracts';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { CHANGED_KEY } from '../storage/changed-keys.js';
import type { TwoUsers } from './user-replica.js';
import { StoredUserReplica } from './stored-user-replica.js';
import { saveRecords, type OwnedAddress } from './save-records.js';

const { usersKept, addressOwnersKept, pairsKept } = LIMITS.payments;

const FIND_PAIRS = {
  name: 'known-pairs',
  text: `select record from known_pairs where low = $1 union all select record from known_pairs where high = $1`,
};

/** A user's relations, by the other user. */
type Pairs = ReadonlyMap<string, PairRecord>;

/**
 * A read-through cache, also of what does not exist. Entries that an update changes are evicted once it is committed, so
 * it may only be used by the one process that consumes every update.
 */
export class CachedUserReplica extends StoredUserReplica {
  readonly #users = new LRUCache<string, { readonly user: UserRecord | null }>({ max: usersKept });
  readonly #pairs = new LRUCache<string, Pairs>({ maxSize: pairsKept, sizeCalculation: (pairs) => pairs.size + 1 });
  readonly #owners = new LRUCache<string, { readonly userId: string | null }>({ max: addressOwnersKept });
  /** Grows with every update: a value that was read before one is not cached after it. */
  #updates = 0;

  /** @param changes records each change of users and of the owners of addresses */
  constructor(
    pool: Pool,
    private readonly changes: ChangeTracker,
  ) {
    super(pool);
  }

  override async findUser(userId: string): Promise<UserRecord | null> {
    const kept = this.#users.get(userId);
    return (kept ?? (await this.#read(this.#users, userId, async () => ({ user: await super.findUser(userId) })))).user;
  }

  /** Caches all pairs of `userId`: most users have few. */
  override async findTwo(userId: string, otherId: string): Promise<TwoUsers> {
    const [one, other, pairs] = [this.#users.get(userId), this.#users.get(otherId), this.#pairs.get(userId)];
    // For most payments: without a promise for each of the three.
    if (one !== undefined && other !== undefined && pairs !== undefined) {
      return { one: one.user, other: other.user, pair: pairs.get(otherId) ?? null };
    }
    const readPairs = () => this.#readPairs(userId);
    const known = [this.findUser(userId), this.findUser(otherId)] as const;
    const pairsOfOne = pairs ?? this.#read(this.#pairs, userId, readPairs);
    const [foundOne, foundOther, foundPairs] = await Promise.all([...known, pairsOfOne]);
    return { one: foundOne, other: foundOther, pair: foundPairs.get(otherId) ?? null };
  }

  override async findOwner(kind: AddressKind, value: string): Promise<string | null> {
    const key = `${kind}:${value}`;
    const read = async () => ({ userId: await super.findOwner(kind, value) });
    return (this.#owners.get(key) ?? (await this.#read(this.#owners, key, read))).userId;
  }

  override async save(records: readonly UsersStateRecord[]): Promise<readonly OwnedAddress[]> {
    const { newlyVerified, addresses } = await saveRecords(this.pool, records).catch((error: unknown) => {
      // They may be stored all the same: when they are sent again, they change nothing, and these keys would be unknown.
      this.#updates += 1;
      this.#owners.clear();
      this.changes.recordAll();
      throw error;
    });
    this.#updates += 1;
    const changed = addresses.map(({ kind, value }) => CHANGED_KEY.address(kind, value));
    for (const record of records) {
      if (record.kind === 'user') {
        this.#users.delete(record.card.id);
        changed.push(CHANGED_KEY.user(record.card.id));
      } else [record.low, record.high].forEach((userId) => this.#pairs.delete(userId));
    }
    this.#owners.clear();
    this.changes.record(changed);
    return newlyVerified;
  }

  async #readPairs(userId: string): Promise<Pairs> {
    const { rows } = await this.pool.query<{ record: PairRecord }>({ ...FIND_PAIRS, values: [userId] });
    return new Map(rows.map(({ record }) => [record.low === userId ? record.high : record.low, record]));
  }

  async #read<Value extends object>(
    cache: LRUCache<string, Value>,
    key: string,
    read: () => Promise<Value>,
  ): Promise<Value> {
    const updates = this.#updates;
    const value = await read();
    if (updates === this.#updates) cache.set(key, value);
    return value;
  }
}
