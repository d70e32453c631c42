import { Injectable } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { RevocationPublisher } from '../tokens/revocation-publisher.js';

/** Whose money, and which app. */
export interface UserAndApp {
  readonly userId: string;
  readonly appId: string;
}

const AMOUNT = `select amount_per_day_cents::float8 as cents from app_amounts where user_id = $1 and app_id = $2`;
/** Answers a row only where something has changed. */
const SET = `
  insert into app_amounts as kept (user_id, app_id, amount_per_day_cents) values ($1, $2, $3)
  on conflict (user_id, app_id) do update set amount_per_day_cents = excluded.amount_per_day_cents
    where kept.amount_per_day_cents <> excluded.amount_per_day_cents
  returning app_id`;
const REMOVE = 'delete from app_amounts where user_id = $1 and app_id = $2 returning app_id';

/** Grants that gateways keep. Those of tokens that have ended are refused whatever they say. */
const CHANGE_GRANTS = `
  insert into token_rechecks (sha256)
  select sha256 from tokens
  where user_id = $1 and app_id = $2 and (revoked_at is null or revoked_at > now()) and expires_at > now()`;
/** Issued by a transaction that ended beside the change: a gateway may have read the amount from before. */
const CHANGE_NEWEST_GRANTS = `${CHANGE_GRANTS} and issued_at > now() - interval '1 minute'`;

/** How much each user lets each app move out of the wallet within a day. It outlives the app's access. */
@Injectable()
export class AppAmounts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revocations: RevocationPublisher,
    private readonly security: SecurityLog,
  ) {}

  /** Returns the amount in cents; null: no limit. */
  async of({ userId, appId }: UserAndApp): Promise<number | null> {
    const rows = await this.dataSource.query<{ cents: number }[]>(AMOUNT, [userId, appId]);
    return rows[0]?.cents ?? null;
  }

  /**
   * Sets the amount, for tokens that are out already as well. Returns false when gateways hear of it late: then it is
   * stored and takes effect shortly. @param cents null: no limit
   */
  async set(which: UserAndApp, cents: number | null): Promise<boolean> {
    const isChanged = await this.dataSource.transaction((manager) => this.#store(manager, which, cents));
    return isChanged ? this.#tell(which) : true;
  }

  /** Returns whether it has changed. */
  async #store(manager: EntityManager, { userId, appId }: UserAndApp, cents: number | null): Promise<boolean> {
    const isChanged =
      cents === null
        ? (await manager.query<[object[], number]>(REMOVE, [userId, appId]))[1] > 0
        : (await manager.query<object[]>(SET, [userId, appId, cents])).length > 0;
    if (isChanged) await manager.query(CHANGE_GRANTS, [userId, appId]);
    return isChanged;
  }

  /** Resolves once no gateway goes by the amount from before; false: that takes longer. */
  async #tell({ userId, appId }: UserAndApp): Promise<boolean> {
    this.security.write('app_amount_changed', { userId, appId });
    await this.dataSource.query(CHANGE_NEWEST_GRANTS, [userId, appId]);
    try {
      await this.revocations.publishRechecks();
      return true;
    } catch (error) {
      if (error instanceof SettleError && error.code === 'outcome_unknown') return false;
      throw error;
    }
  }
}
