import { Injectable } from '@nestjs/common';
import { SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { readScopes } from '../authorize/scopes.js';
import { sha256 } from '../secrets.js';
import { Authorization } from '../tables/authorization.entity.js';
import { RefreshToken } from '../tables/refresh-token.entity.js';
import { Revocations } from '../tokens/revocations.js';
import { Authorizations } from './authorizations.js';
import { TokenPairs, type IssuedTokens } from './token-pairs.js';

const REFUSED = new SettleError('invalid_grant', 'The refresh token is unknown, used or expired. Ask the user again.');

/** Null: over. A list: the tokens that were revoked because the refresh token had been used before. */
type Outcome = IssuedTokens | readonly string[] | null;

/** Refresh tokens. Each works once and is followed by another; one that comes twice was stolen, and ends all of them. */
@Injectable()
export class RefreshTokens {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authorizations: Authorizations,
    private readonly revocations: Revocations,
    private readonly tokenPairs: TokenPairs,
    private readonly security: SecurityLog,
  ) {}

  /** What a refresh token belongs to, whoever's it is and whether or not it works; null when it is unknown. */
  find(refreshToken: string): Promise<Authorization | null> {
    return this.dataSource
      .getRepository(Authorization)
      .createQueryBuilder('authorization')
      .innerJoin(RefreshToken, 'refresh', 'refresh.authorization_id = authorization.id')
      .where('refresh.sha256 = :sha256', { sha256: sha256(refreshToken) })
      .getOne();
  }

  /** Whose it is. Error: `invalid_grant` when this app has no such refresh token. */
  async ownerOf(appId: string, refreshToken: string): Promise<Authorization> {
    const found = await this.find(refreshToken);
    if (found?.appId !== appId) throw REFUSED;
    return found;
  }

  /**
   * New tokens for a refresh token, which is used up. @param scope for fewer scopes than were allowed; null: all
   * Errors: `invalid_grant`; `invalid_scope` when a scope was not allowed, and then nothing is used up.
   */
  async redeem(authorization: Authorization, refreshToken: string, scope: string | null): Promise<IssuedTokens> {
    const scopes = narrowed(authorization.scopes, scope);
    const outcome = await this.dataSource.transaction(async (manager) =>
      this.#try(manager, { id: authorization.id, refreshToken, scopes }),
    );
    if (outcome !== null && 'accessToken' in outcome) return outcome;
    if (outcome !== null) {
      const { id: authorizationId, appId, userId } = authorization;
      this.security.write('refresh_token_reused', { authorizationId, appId, userId });
      await this.revocations.tell(outcome);
    }
    throw REFUSED;
  }

  async #try(
    manager: EntityManager,
    { id, refreshToken, scopes }: { id: string; refreshToken: string; scopes: readonly Scope[] },
  ): Promise<Outcome> {
    const authorization = await this.tokenPairs.lock(manager, id);
    const table = manager.getRepository(RefreshToken);
    const row = await table.findOneBy({ sha256: sha256(refreshToken) });
    if (!row || authorization.revokedAt !== null) return null;
    if (row.usedAt !== null) return (await this.authorizations.endWithin(manager, authorization)).tokenSha256s;
    if (row.expiresAt.getTime() <= Date.now()) return null;
    await table.update({ sha256: row.sha256 }, { usedAt: new Date() });
    return this.tokenPairs.issue(manager, authorization, scopes);
  }
}

function narrowed(allowed: readonly Scope[], scope: string | null): readonly Scope[] {
  if (scope === null) return allowed;
  const asked = readScopes(scope);
  if (!asked?.every((one) => allowed.includes(one))) {
    throw new SettleError('invalid_scope', 'scope names what the user did not allow. Leave it out, or ask the user.');
  }
  return asked;
}
