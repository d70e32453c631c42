import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { sha256 } from '../secrets/secrets.js';
import { RevocationPublisher } from '../tokens/revocation-publisher.js';
import type { NewToken } from '../tokens/tokens.js';
import { revokeInBatches, type AuthorizationFilter, type AuthorizationKeys } from './revoke-authorizations.js';

/** A user's grant to an app. Its codes, access tokens and refresh tokens are revoked with it. */
export interface Authorization {
  readonly id: string;
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** When the user granted it: its refresh tokens expire `REFRESH_FAMILY_DAYS` later. */
  readonly begunAt: Date;
  readonly revokedAt: Date | null;
}

const SELECT = `
  select id, app_id as "appId", user_id as "userId", scopes, begun_at as "begunAt", revoked_at as "revokedAt"
  from authorizations where id =`;

/** Serializes with deleting and suspending the app: the authorization is revoked with the others or refused. */
const HOLD_APP = 'select suspended_at as "suspendedAt" from apps where client_id = $1 and deleted_at is null for share';

/** `connected_at`: since when the app has had access without a gap, under this authorization or earlier ones. */
const BEGIN = `
  insert into authorizations (id, app_id, user_id, scopes, connected_at, ends_at)
  select $1, $2, $3, $4, coalesce(min(connected_at), now()), now() + $5 * interval '1 millisecond'
  from authorizations where user_id = $3 and app_id = $2 and revoked_at is null`;

/** Returns the authorization under which a code or token was issued, valid or not; null if the secret is unknown. */
export async function findAuthorization(
  { manager }: DataSource,
  table: 'authorization_codes' | 'refresh_tokens' | 'tokens',
  secret: string,
): Promise<Authorization | null> {
  const statement = `${SELECT} (select authorization_id from ${table} where sha256 = $1)`;
  const [found = null] = await manager.query<Authorization[]>(statement, [sha256(secret)]);
  return found;
}

/**
 * Loads the authorization and locks its row until the transaction ends: codes and tokens are issued and revoked under this
 * lock, so no token is issued under a revoked authorization. Error: `invalid_grant` if the row is already deleted.
 */
export async function lockAuthorization(manager: EntityManager, id: string): Promise<Authorization> {
  const [found] = await manager.query<Authorization[]>(`${SELECT} $1 for update`, [id]);
  if (!found) throw new SettleError('invalid_grant', 'The authorization has expired. Ask the user again.');
  return found;
}

/**
 * Returns the id of a new authorization, which lives as long as the first code or token that is issued under it.
 * Errors: `invalid_request` if the app was deleted; `not_permitted` if it is suspended.
 */
export async function beginAuthorization(
  manager: EntityManager,
  { appId, userId, scopes, lifeMs }: Omit<NewToken, 'authorizationId'>,
): Promise<string> {
  const [app] = await manager.query<{ suspendedAt: Date | null }[]>(HOLD_APP, [appId]);
  if (app === undefined) throw new SettleError('invalid_request', 'This app no longer exists.');
  if (app.suspendedAt !== null) throw createSuspendedAppError();
  const id = randomUUID();
  await manager.query(BEGIN, [id, appId, userId, scopes, lifeMs]);
  return id;
}

/** Returns the error for users who come from an app that an operator has suspended. */
export function createSuspendedAppError(): SettleError {
  return new SettleError(
    'not_permitted',
    'This app is suspended and gets no access. Its developer can ask the operator of this wallet.',
  );
}

/** Revokes authorizations that users granted to apps. */
@Injectable()
export class Authorizations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revocations: RevocationPublisher,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Revokes the matching authorizations with their tokens. Resolves once every gateway knows. Error: `outcome_unknown`
   * if that takes too long; the revocation is stored nevertheless.
   */
  async revoke(filter: AuthorizationFilter): Promise<void> {
    const { id: authorizationId, appId, userId }: AuthorizationKeys = filter;
    for await (const { count, tokenSha256s } of revokeInBatches(this.dataSource, filter)) {
      if (count > 0) this.security.write('tokens_revoked', { userId, appId, authorizationId, count });
      await this.revocations.publish(tokenSha256s);
    }
  }
}
