import { LIMITS } from '@settle/config';
import type { AddressKind, PairRecord, UserRecord, UsersStateRecord } from '@settle/contracts';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { UserReplica, TwoUsers } from './user-replica.js';
import { StoredUserReplica } from './stored-user-replica.js';
import type { OwnedAddress } from './save-records.js';

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
export class CachedUserReplica implements UserReplica {
  readonly #users = new LRUCache<string, { readonly user: UserRecord | null }>({ max: usersKept });
  readonly #pairs = new LRUCache<string, Pairs>({ maxSize: pairsKept, sizeCalculation: (pairs) => pairs.size + 1 });
  readonly #owners = new LRUCache<string, { readonly userId: string | null }>({ max: addressOwnersKept });
  readonly #table: StoredUserReplica;
  /** Grows with every update: a value that was read before one is not cached after it. */
  #updates = 0;

  constructor(private readonly pool: Pool) {
    this.#table = new StoredUserReplica(pool);
  }

  isFilled(): Promise<boolean> {
    return this.#table.isFilled();
  }

  async findUser(userId: string): Promise<UserRecord | null> {
    const kept = this.#users.get(userId);
    if (kept !== undefined) return kept.user;
    const updates = this.#updates;
    const user = await this.#table.findUser(userId);
    if (updates === this.#updates) this.#users.set(userId, { user });
    return user;
  }

  async findUsers(userIds: Iterable<string>): Promise<Map<string, UserRecord>> {
    const found = new Map<string, UserRecord>();
    for (const userId of userIds) {
      const user = found.get(userId) ?? (await this.findUser(userId));
      if (user !== null) found.set(userId, user);
    }
    return found;
  }

  /** Caches all pairs of `userId`: most users have few. */
  async findTwo(userId: string, otherId: string): Promise<TwoUsers> {
    const pairsOfOne = this.#pairs.get(userId) ?? this.#readPairs(userId);
    const [one, other, pairs] = await Promise.all([this.findUser(userId), this.findUser(otherId), pairsOfOne]);
    return { one, other, pair: pairs.get(otherId) ?? null };
  }

  async findOwner(kind: AddressKind, value: string): Promise<string | null> {
    const key = `${kind}:${value}`;
    const kept = this.#owners.get(key);
    if (kept !== undefined) return kept.userId;
    const updates = this.#updates;
    const userId = await this.#table.findOwner(kind, value);
    if (updates === this.#updates) this.#owners.set(key, { userId });
    return userId;
  }

  async save(records: readonly UsersStateRecord[]): Promise<OwnedAddress[]> {
    const addresses = await this.#table.save(records);
    this.#updates += 1;
    for (const record of records) {
      if (record.kind === 'user') this.#users.delete(record.card.id);
      else [record.low, record.high].forEach((userId) => this.#pairs.delete(userId));
    }
    this.#owners.clear();
    return addresses;
  }

  async #readPairs(userId: string): Promise<Pairs> {
    const updates = this.#updates;
    const { rows } = await this.pool.query<{ record: PairRecord }>({ ...FIND_PAIRS, values: [userId] });
    const pairs = new Map<string, PairRecord>();
    for (const { record } of rows) pairs.set(record.low === userId ? record.high : record.low, record);
    if (updates === this.#updates) this.#pairs.set(userId, pairs);
    return pairs;
  }
}
