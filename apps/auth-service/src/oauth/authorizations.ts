import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { createSuspendedAppError } from './suspended-app-error.js';
import { RevocationPublisher } from '../tokens/revocation-publisher.js';
import { readFilter, revokeInBatches, type AuthorizationFilter } from './revoke-authorizations.js';

/** A user's grant to an app, and the lifetime of the first code or token issued under it. */
export interface NewAuthorization {
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  readonly lifeMs: number;
}

/** Serializes with deleting and suspending the app: the authorization is revoked with the others or refused. */
const HOLD_APP = 'select suspended_at as "suspendedAt" from apps where client_id = $1 and deleted_at is null for share';

const BEGIN = `
  insert into authorizations (id, app_id, user_id, scopes, connected_at, ends_at)
  select $1, $2, $3, $4, coalesce(min(connected_at), now()), now() + $5 * interval '1 millisecond'
  from authorizations where user_id = $3 and app_id = $2 and revoked_at is null`;

/** Schedules a revocation: it takes effect and is published when its time comes. */
const END_FORMER_TOKENS = `
  update tokens set revoked_at = now() + $2 * interval '1 millisecond'
  where authorization_id = $1 and revoked_at is null and expires_at > now() + $2 * interval '1 millisecond'`;

/**
 * The authorizations that users granted to apps. Codes and tokens are issued and revoked under a lock on the
 * authorization's row, so no token is issued under a revoked authorization.
 */
@Injectable()
export class Authorizations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revocations: RevocationPublisher,
    private readonly security: SecurityLog,
  ) {}

  /** Returns the new id. Errors: `invalid_request` if the app was deleted; `not_permitted` if it is suspended. */
  async begin(manager: EntityManager, { appId, userId, scopes, lifeMs }: NewAuthorization): Promise<string> {
    const [app] = await manager.query<{ suspendedAt: Date | null }[]>(HOLD_APP, [appId]);
    if (app === undefined) throw new SettleError('invalid_request', 'This app no longer exists.');
    if (app.suspendedAt !== null) throw createSuspendedAppError();
    const id = randomUUID();
    await manager.query(BEGIN, [id, appId, userId, scopes, lifeMs]);
    return id;
  }

  /**
   * Revokes the matching authorizations with their tokens. Resolves once every gateway knows. Error: `outcome_unknown`
   * if that takes too long; the revocation is stored nevertheless.
   */
  async revoke(filter: AuthorizationFilter): Promise<void> {
    const { id: authorizationId, appId, userId } = readFilter(filter);
    for await (const { count, tokenSha256s } of revokeInBatches(this.dataSource, filter)) {
      if (count > 0) this.security.write('tokens_revoked', { userId, appId, authorizationId, count });
      await this.revocations.publish(tokenSha256s);
    }
  }

  /**
   * Schedules the revocation of the current access tokens in a minute, because requests in progress still use them.
   * Called within the transaction of a refresh, before the new token is issued.
   */
  async expireFormerTokens(manager: EntityManager, authorizationId: string): Promise<void> {
    await manager.query(END_FORMER_TOKENS, [authorizationId, LIMITS.auth.formerTokenMs]);
  }
}
