import { Injectable } from '@nestjs/common';
import { SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { parseScopes } from './scopes.js';
import { sha256 } from '../secrets/secrets.js';
import { Authorization } from '../tables/authorization.entity.js';
import { RefreshToken } from '../tables/refresh-token.entity.js';
import { RevocationPublisher } from '../tokens/revocation-publisher.js';
import { Authorizations } from './authorizations.js';
import { revokeAuthorizations } from './revoke-authorizations.js';
import { TokenPairs, type IssuedTokens } from './token-pairs.js';

const REFUSED = new SettleError('invalid_grant', 'The refresh token is unknown, used or expired. Ask the user again.');

/** The parameters that an app sends to refresh its tokens. */
interface PresentedRefreshToken {
  readonly refreshToken: string;
  /** Fewer scopes than the user granted; null: all of them. */
  readonly scope: string | null;
  /** How long after its first use the token is accepted again. */
  readonly leewayMs: number;
}

interface RefreshAttempt {
  readonly id: string;
  readonly refreshToken: string;
  readonly leewayMs: number;
  readonly scopes: readonly Scope[];
}

/** Null: the refresh token is not valid. A list: the access tokens that were revoked because it was reused. */
type Outcome = IssuedTokens | readonly string[] | null;

/**
 * Refresh tokens with rotation: each works once and is replaced. Reuse is taken as theft and revokes the authorization,
 * except within `REFRESH_LEEWAY` after the first use: a parallel request, or a retry after a lost response.
 */
@Injectable()
export class RefreshTokens {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authorizations: Authorizations,
    private readonly revocations: RevocationPublisher,
    private readonly tokenPairs: TokenPairs,
    private readonly security: SecurityLog,
  ) {}

  /** Returns the authorization of a refresh token of any app, valid or not; null if the token is unknown. */
  find(refreshToken: string): Promise<Authorization | null> {
    return this.dataSource
      .getRepository(Authorization)
      .createQueryBuilder('authorization')
      .innerJoin(RefreshToken, 'refresh', 'refresh.authorization_id = authorization.id')
      .where('refresh.sha256 = :sha256', { sha256: sha256(refreshToken) })
      .getOne();
  }

  /** Returns the authorization of the app's refresh token. Error: `invalid_grant` if this app has no such token. */
  async findAuthorization(appId: string, refreshToken: string): Promise<Authorization> {
    const found = await this.find(refreshToken);
    if (found?.appId !== appId) throw REFUSED;
    return found;
  }

  /**
   * Exchanges a refresh token for new tokens and marks it as used.
   * Errors: `invalid_grant`; `invalid_scope` for a scope that was not granted, in which case the token stays valid.
   */
  async redeem(
    authorization: Authorization,
    { refreshToken, scope, leewayMs }: PresentedRefreshToken,
  ): Promise<IssuedTokens> {
    const scopes = narrowScopes(authorization.scopes, scope);
    const outcome = await this.dataSource.transaction(async (manager) =>
      this.#attempt(manager, { id: authorization.id, refreshToken, leewayMs, scopes }),
    );
    if (outcome !== null && 'accessToken' in outcome) return outcome;
    if (outcome !== null) {
      const { id: authorizationId, appId, userId } = authorization;
      this.security.write('refresh_token_reused', { authorizationId, appId, userId });
      await this.revocations.publish(outcome);
    }
    throw REFUSED;
  }

  async #attempt(manager: EntityManager, { id, refreshToken, leewayMs, scopes }: RefreshAttempt): Promise<Outcome> {
    const authorization = await this.tokenPairs.lock(manager, id);
    const table = manager.getRepository(RefreshToken);
    const row = await table.findOneBy({ sha256: sha256(refreshToken) });
    if (!row || authorization.revokedAt !== null) return null;
    const isReused = row.usedAt !== null && Date.now() - row.usedAt.getTime() >= leewayMs;
    if (isReused) return (await revokeAuthorizations(manager, authorization)).tokenSha256s;
    if (row.expiresAt.getTime() <= Date.now() || this.tokenPairs.getRemainingMs(authorization) <= 0) return null;
    // The leeway counts from the first use. A second use does not revoke the tokens that the first returned.
    if (row.usedAt === null) {
      await table.update({ sha256: row.sha256 }, { usedAt: new Date() });
      await this.authorizations.expireFormerTokens(manager, id);
    }
    return this.tokenPairs.issue(manager, authorization, scopes);
  }
}

function narrowScopes(allowed: readonly Scope[], scope: string | null): readonly Scope[] {
  if (scope === null) return allowed;
  const requested = parseScopes(scope);
  if (!requested?.every((one) => allowed.includes(one))) {
    throw new SettleError(
      'invalid_scope',
      'scope contains a scope that the user did not grant. Leave it out, or ask the user.',
    );
  }
  return requested;
}
