import { Injectable } from '@nestjs/common';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { RevocationPublisher } from '../tokens/revocation-publisher.js';
import { isConfirmed } from '../user-requests/user-requests.js';

/** A user and an app that spends the user's money. */
export interface UserApp {
  readonly userId: string;
  readonly appId: string;
}

const SELECT_LIMIT = `select amount_per_day_cents::float8 as cents from app_amounts where user_id = $1 and app_id = $2`;
/** Returns a row only if the limit changed. */
const UPSERT_LIMIT = `
  insert into app_amounts as kept (user_id, app_id, amount_per_day_cents) values ($1, $2, $3)
  on conflict (user_id, app_id) do update set amount_per_day_cents = excluded.amount_per_day_cents
    where kept.amount_per_day_cents <> excluded.amount_per_day_cents
  returning app_id`;
const DELETE_LIMIT = 'delete from app_amounts where user_id = $1 and app_id = $2 returning app_id';

/** Marks the live tokens, whose grants gateways cache. Gateways reject ended tokens in any case. */
const RECHECK_TOKENS = `
  insert into token_rechecks (sha256)
  select sha256 from tokens
  where user_id = $1 and app_id = $2 and (revoked_at is null or revoked_at > now()) and expires_at > now()`;
/** Marks tokens of concurrent transactions, too: a gateway may have read the previous limit with them. */
const RECHECK_NEWEST_TOKENS = `${RECHECK_TOKENS} and issued_at > now() - interval '1 minute'`;

/** Stores how much each user lets each app spend within a day. A limit outlives the access of the app. */
@Injectable()
export class AppSpendingLimits {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revocations: RevocationPublisher,
    private readonly security: SecurityLog,
  ) {}

  /** Returns the limit in cents, or null if there is none. */
  async get({ userId, appId }: UserApp): Promise<number | null> {
    const rows = await this.dataSource.query<{ cents: number }[]>(SELECT_LIMIT, [userId, appId]);
    return rows[0]?.cents ?? null;
  }

  /**
   * Sets the limit, which also applies to tokens that were issued before. Returns false if the limit is stored but
   * gateways have not confirmed it yet. @param cents null removes the limit
   */
  async set(userApp: UserApp, cents: number | null): Promise<boolean> {
    const isChanged = await this.dataSource.transaction((manager) => this.#store(manager, userApp, cents));
    return isChanged ? this.#publish(userApp) : true;
  }

  /** Returns whether the limit changed. */
  async #store(manager: EntityManager, { userId, appId }: UserApp, cents: number | null): Promise<boolean> {
    const isChanged =
      cents === null
        ? (await manager.query<[object[], number]>(DELETE_LIMIT, [userId, appId]))[1] > 0
        : (await manager.query<object[]>(UPSERT_LIMIT, [userId, appId, cents])).length > 0;
    if (isChanged) await manager.query(RECHECK_TOKENS, [userId, appId]);
    return isChanged;
  }

  /** Returns true once no gateway applies the previous limit, or false if that takes longer. */
  async #publish({ userId, appId }: UserApp): Promise<boolean> {
    this.security.write('app_amount_changed', { userId, appId });
    await this.dataSource.query(RECHECK_NEWEST_TOKENS, [userId, appId]);
    return isConfirmed(this.revocations.publishRechecks());
  }
}
