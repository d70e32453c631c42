import { randomBytes } from 'node:crypto';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { WrappedKey, WrappingKeys } from './wrapping-keys.js';

const KEY_BYTES = 32;
const { dataKeysKept: max, dataKeyKeptMs: ttl, encryptionAskedEveryMs } = LIMITS.payments;

const FIND = {
  name: 'data-keys-find',
  text: `select user_id as "userId", wrapped_with as "wrappedWith", wrapped from data_keys where user_id = any($1)`,
};
const INSERT = {
  name: 'data-keys-insert',
  text: 'insert into data_keys (user_id, wrapped_with, wrapped) values ($1, $2, $3) on conflict do nothing',
};
const HAS_BEGUN = 'select from text_encryption';

interface KeyRow {
  readonly userId: string;
  readonly wrappedWith: string | null;
  readonly wrapped: Buffer | null;
}

/** The key of a user's texts; `destroyed` once the account is closed; `none` before the first text. */
export type DataKey = Buffer | 'destroyed' | 'none';

/** Keys of what users write, one for each user, kept in memory for a short time. Errors of all: the database's. */
export class DataKeys {
  /** Not that a user has none: another process may create one at any time. */
  readonly #kept = new LRUCache<string, Exclude<DataKey, 'none'>>({ max, ttl });
  #hasBegun = false;
  #askedAtMs = -Infinity;
  #asking: Promise<boolean> | null = null;

  /** @param pool sees the live tables: both environments have the same keys */
  constructor(
    private readonly pool: Pool,
    private readonly wrapping: WrappingKeys,
  ) {}

  /** Whether texts are to be encrypted: earlier versions, which cannot read them, are gone. */
  async hasBegun(): Promise<boolean> {
    if (this.#hasBegun || performance.now() - this.#askedAtMs < encryptionAskedEveryMs) return this.#hasBegun;
    // A text is never stored as it is because the answer is still awaited, or failed to come.
    this.#asking ??= this.#ask().finally(() => (this.#asking = null));
    return this.#asking;
  }

  async #ask(): Promise<boolean> {
    const askedAtMs = performance.now();
    this.#hasBegun = (await this.pool.query(HAS_BEGUN)).rowCount === 1;
    this.#askedAtMs = askedAtMs;
    return this.#hasBegun;
  }

  /** Returns the key of a user, which the first call creates. Error: `account_frozen` once it is destroyed. */
  async getOrCreate(userId: string): Promise<Buffer> {
    let key = await this.#keyOf(userId);
    if (key === 'none') {
      const { wrappedWith, wrapped } = this.wrapping.wrap(userId, randomBytes(KEY_BYTES));
      await this.pool.query({ ...INSERT, values: [userId, wrappedWith, wrapped] });
      // Another process may have been first.
      key = await this.#keyOf(userId);
    }
    if (typeof key === 'string') throw new SettleError('account_frozen', 'Your account is closed.');
    return key;
  }

  /** Returns the keys of users. */
  async find(userIds: Iterable<string>): Promise<ReadonlyMap<string, DataKey>> {
    const found = new Map<string, DataKey>();
    const missing: string[] = [];
    for (const userId of new Set(userIds)) {
      const key = this.#kept.get(userId);
      if (key === undefined) missing.push(userId);
      else found.set(userId, key);
    }
    if (missing.length === 0) return found;
    const { rows } = await this.pool.query<KeyRow>({ ...FIND, values: [missing] });
    const stored = new Map(rows.map((row) => [row.userId, this.#unwrap(row)]));
    for (const userId of missing) {
      const key = stored.get(userId) ?? 'none';
      if (key !== 'none') this.#kept.set(userId, key);
      found.set(userId, key);
    }
    return found;
  }

  async #keyOf(userId: string): Promise<DataKey> {
    return this.#kept.get(userId) ?? (await this.find([userId])).get(userId) ?? 'none';
  }

  #unwrap({ userId, wrappedWith, wrapped }: KeyRow): DataKey {
    if (wrappedWith === null || wrapped === null) return 'destroyed';
    return this.wrapping.unwrap(userId, { wrappedWith, wrapped } satisfies WrappedKey);
  }
}
