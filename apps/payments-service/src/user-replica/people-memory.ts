import { LIMITS } from '@settle/config';
import type { AddressKind, PairRecord, UserRecord, UsersStateRecord } from '@settle/contracts';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { KnownPeople, TwoPeople } from './known-people.js';
import { PeopleTable } from './people-table.js';
import type { OwnedAddress } from './save-records.js';

const { usersKept, addressOwnersKept, pairsKept } = LIMITS.payments;

const FIND_PAIRS = {
  name: 'known-pairs',
  text: `select record from known_pairs where low = $1 union all select record from known_pairs where high = $1`,
};

/** All that one person is to others, by the other. */
type Pairs = ReadonlyMap<string, PairRecord>;

/**
 * Reads through memory, also what is not there; what an update changes is dropped from memory once it is committed. So it
 * serves only the one process that also takes in every update.
 */
export class PeopleMemory implements KnownPeople {
  readonly #users = new LRUCache<string, { readonly user: UserRecord | null }>({ max: usersKept });
  readonly #pairs = new LRUCache<string, Pairs>({ maxSize: pairsKept, sizeCalculation: (pairs) => pairs.size + 1 });
  readonly #owners = new LRUCache<string, { readonly userId: string | null }>({ max: addressOwnersKept });
  readonly #table: PeopleTable;
  /** Grows with every update: what was read before one is not kept after it. */
  #updates = 0;

  constructor(private readonly pool: Pool) {
    this.#table = new PeopleTable(pool);
  }

  isFilled(): Promise<boolean> {
    return this.#table.isFilled();
  }

  async user(userId: string): Promise<UserRecord | null> {
    const kept = this.#users.get(userId);
    if (kept !== undefined) return kept.user;
    const updates = this.#updates;
    const user = await this.#table.user(userId);
    if (updates === this.#updates) this.#users.set(userId, { user });
    return user;
  }

  async users(userIds: Iterable<string>): Promise<Map<string, UserRecord>> {
    const found = new Map<string, UserRecord>();
    for (const userId of userIds) {
      const user = found.get(userId) ?? (await this.user(userId));
      if (user !== null) found.set(userId, user);
    }
    return found;
  }

  /** All pairs of `userId` are kept: most have few. */
  async two(userId: string, otherId: string): Promise<TwoPeople> {
    const pairsOfOne = this.#pairs.get(userId) ?? this.#readPairs(userId);
    const [one, other, pairs] = await Promise.all([this.user(userId), this.user(otherId), pairsOfOne]);
    return { one, other, pair: pairs.get(otherId) ?? null };
  }

  async ownerOf(kind: AddressKind, value: string): Promise<string | null> {
    const key = `${kind}:${value}`;
    const kept = this.#owners.get(key);
    if (kept !== undefined) return kept.userId;
    const updates = this.#updates;
    const userId = await this.#table.ownerOf(kind, value);
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
