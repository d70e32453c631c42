import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { appIsSuspended } from './suspended-app.js';
import { Revocations } from '../tokens/revocations.js';
import { endAuthorizations, namedIn, type EndedAuthorizations, type EndedBatch } from './end-authorizations.js';

/** What a user allows an app, and how long what comes of it lives at first. */
export interface NewAuthorization {
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  readonly lifeMs: number;
}

/**
 * Against giving the app up, or suspending it, at the same moment: either this comes first and is ended with the rest, or
 * it is refused.
 */
const HOLD_APP = 'select suspended_at as "suspendedAt" from apps where client_id = $1 and deleted_at is null for share';

const BEGIN = `
  insert into authorizations (id, app_id, user_id, scopes, connected_at, ends_at)
  select $1, $2, $3, $4, coalesce(min(connected_at), now()), now() + $5 * interval '1 millisecond'
  from authorizations where user_id = $3 and app_id = $2 and revoked_at is null`;

/** A revocation in the future: it is in effect, and published, once its time has come. */
const END_FORMER_TOKENS = `
  update tokens set revoked_at = now() + $2 * interval '1 millisecond'
  where authorization_id = $1 and revoked_at is null and expires_at > now() + $2 * interval '1 millisecond'`;

/**
 * What users allowed apps. The row of an authorization is the lock under which everything that hangs on it is issued
 * and ended: nothing new comes of one that has ended.
 */
@Injectable()
export class Authorizations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revocations: Revocations,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Begins one, and answers its id. Errors: `invalid_request` when the app has been given up; `not_permitted` when it is
   * suspended.
   */
  async begin(manager: EntityManager, { appId, userId, scopes, lifeMs }: NewAuthorization): Promise<string> {
    const [app] = await manager.query<{ suspendedAt: Date | null }[]>(HOLD_APP, [appId]);
    if (app === undefined) throw new SettleError('invalid_request', 'This app is not there any more.');
    if (app.suspendedAt !== null) throw appIsSuspended();
    const id = randomUUID();
    await manager.query(BEGIN, [id, appId, userId, scopes, lifeMs]);
    return id;
  }

  /**
   * Ends them and revokes what hangs on them. Resolves once every gateway has been told. Error: `outcome_unknown`
   * when that takes too long; it is stored all the same.
   */
  async end(which: EndedAuthorizations): Promise<void> {
    let ended: EndedBatch;
    do {
      ended = await this.dataSource.transaction((manager) => endAuthorizations(manager, which));
      this.#log(which, ended.count);
      await this.revocations.tell(ended.tokenSha256s);
    } while (ended.isFull);
  }

  /**
   * Lets the access tokens that are there end within a minute, within the transaction of a refresh: requests under way
   * still use them. Called before the new one is issued.
   */
  async endFormerTokens(manager: EntityManager, authorizationId: string): Promise<void> {
    await manager.query(END_FORMER_TOKENS, [authorizationId, LIMITS.auth.formerTokenMs]);
  }

  #log(which: EndedAuthorizations, count: number): void {
    if (count === 0) return;
    const { id: authorizationId, appId, userId } = namedIn(which);
    this.security.write('tokens_revoked', { userId, appId, authorizationId, count });
  }
}
