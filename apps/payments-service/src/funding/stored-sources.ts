import type { SourceView } from '@settle/contracts';
import { inTransaction } from '@settle/postgres';
import type { ProviderSource } from '@settle/provider-api';
import type { Pool } from 'pg';

const COLUMNS = `key, user_id as "userId", state, can_charge as "canCharge", can_payout as "canPayout",
  owner_match as "isOwnerMatch", brand, last_four as "lastFour",
  for_payouts_since_us::float8 as "forPayoutsSinceUs"`;

const BEGIN = {
  name: 'begin-source',
  text: `insert into funding_sources (key, user_id, state, can_charge, can_payout, owner_match, version, begun_us)
    values ($1, $2, 'verifying', false, false, false, 0, $3) on conflict (key) do nothing`,
};
const FIND = { name: 'find-source', text: `select ${COLUMNS} from funding_sources where key = $1` };
const OF_PAYOUTS = {
  name: 'source-for-payouts',
  text: `select ${COLUMNS} from funding_sources where user_id = $1 and for_payouts_since_us is not null`,
};
const LIST = {
  name: 'sources-of-user',
  text: `select ${COLUMNS} from funding_sources where user_id = $1 and kept_us is not null and state <> 'ended'
    order by begun_us desc limit $2`,
};
const COUNT = {
  name: 'count-begun-sources',
  text: 'select count(*)::int as count from funding_sources where user_id = $1 and begun_us > $2',
};
/** The first user owns the fingerprint. The update changes nothing: with it the statement returns the row of a race, too. */
const CLAIM = {
  name: 'claim-fingerprint',
  text: `insert into funding_fingerprints as f (fingerprint, user_id) values ($1, $2)
    on conflict (fingerprint) do update set user_id = f.user_id returning user_id`,
};
const SAVE = {
  name: 'save-source',
  text: `update funding_sources set state = $2, can_charge = $3, can_payout = $4, owner_match = $5, fingerprint = $6,
      brand = $7, last_four = $8, version = $9,
      for_payouts_since_us = case when $2 = 'ended' then null else for_payouts_since_us end
    where key = $1 and version <= $9`,
};
const END = {
  name: 'end-source',
  text: `update funding_sources set state = 'ended', for_payouts_since_us = null where key = $1`,
};
const LOCK = 'select from funding_sources where user_id = $1 order by key for update';
const KEEP = 'update funding_sources set kept_us = coalesce(kept_us, $2) where key = $1';
const REPLACE = `update funding_sources set for_payouts_since_us = null
  where user_id = $1 and key <> $2 and for_payouts_since_us is not null`;
const USE_FOR_PAYOUTS = `update funding_sources set for_payouts_since_us = coalesce(for_payouts_since_us, $2) where key = $1`;

/** A source of a user as the provider described it last. */
export interface StoredSource extends Omit<SourceView, 'isForPayouts'> {
  readonly userId: string;
  /** Since when withdrawals go to it; null: they do not. Microseconds since 1970. */
  readonly forPayoutsSinceUs: number | null;
}

/** Returns the source as its owner sees it. */
export function sourceViewOf({ userId: _, forPayoutsSinceUs, ...source }: StoredSource): SourceView {
  return { ...source, isForPayouts: forPayoutsSinceUs !== null };
}

/** The provider's facts of users' sources. Errors: the database's. */
export class StoredSources {
  constructor(private readonly pool: Pool) {}

  /** Stores that a user begins a source. A key that is stored keeps its user. */
  async begin(key: string, userId: string, atUs: number): Promise<void> {
    await this.pool.query({ ...BEGIN, values: [key, userId, atUs] });
  }

  async find(key: string): Promise<StoredSource | null> {
    const { rows } = await this.pool.query<StoredSource>({ ...FIND, values: [key] });
    return rows[0] ?? null;
  }

  /** Returns the source to which the user's withdrawals go. */
  async findForPayouts(userId: string): Promise<StoredSource | null> {
    const { rows } = await this.pool.query<StoredSource>({ ...OF_PAYOUTS, values: [userId] });
    return rows[0] ?? null;
  }

  /** Returns the user's kept sources that have not ended, the newest first. */
  async list(userId: string, limit: number): Promise<readonly StoredSource[]> {
    const { rows } = await this.pool.query<StoredSource>({ ...LIST, values: [userId, limit] });
    return rows;
  }

  async countBegun(userId: string, sinceUs: number): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>({ ...COUNT, values: [userId, sinceUs] });
    return rows[0]?.count ?? 0;
  }

  /**
   * Stores what the provider says of a user's source, unless a later version is stored. Returns false if the same card or
   * account belongs to another user: the source then counts as ended.
   */
  async save(source: ProviderSource, userId: string): Promise<boolean> {
    const { key, fingerprint, brand, last4, version } = source;
    const isOwn = fingerprint === null || (await this.#claim(fingerprint, userId));
    const { state, can_charge, can_payout, owner_match } = source;
    const usable = isOwn ? [state, can_charge, can_payout, owner_match] : ['ended', false, false, false];
    await this.pool.query({ ...SAVE, values: [key, ...usable, fingerprint, brand, last4, version] });
    return isOwn;
  }

  /** Shows the source to its user; with `isForPayouts` withdrawals go to it from now on, and to no other one. */
  async keep(
    { key, userId }: StoredSource,
    { isForPayouts, atUs }: { isForPayouts: boolean; atUs: number },
  ): Promise<void> {
    if (!isForPayouts) {
      await this.pool.query(KEEP, [key, atUs]);
      return;
    }
    await inTransaction(this.pool, async (client) => {
      await client.query(LOCK, [userId]);
      await client.query(KEEP, [key, atUs]);
      await client.query(REPLACE, [userId, key]);
      await client.query(USE_FOR_PAYOUTS, [key, atUs]);
    });
  }

  /** Stores that the source has ended for good. */
  async end(key: string): Promise<void> {
    await this.pool.query({ ...END, values: [key] });
  }

  async #claim(fingerprint: string, userId: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ user_id: string }>({ ...CLAIM, values: [fingerprint, userId] });
    return rows[0]?.user_id === userId;
  }
}
