import { Injectable } from '@nestjs/common';
import { SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { parseScopes } from '../authorize/scopes.js';
import { sha256 } from '../secrets.js';
import { Authorization } from '../tables/authorization.entity.js';
import { RefreshToken } from '../tables/refresh-token.entity.js';
import { Revocations } from '../tokens/revocations.js';
import { Authorizations } from './authorizations.js';
import { endAuthorizations } from './end-authorizations.js';
import { TokenPairs, type IssuedTokens } from './token-pairs.js';

const REFUSED = new SettleError('invalid_grant', 'The refresh token is unknown, used or expired. Ask the user again.');

/** What an app shows to have its next tokens. */
interface ShownRefreshToken {
  readonly refreshToken: string;
  /** For fewer scopes than were allowed; null: all. */
  readonly scope: string | null;
  /** How long after its first use it may come again. */
  readonly leewayMs: number;
}

interface Try {
  readonly id: string;
  readonly refreshToken: string;
  readonly leewayMs: number;
  readonly scopes: readonly Scope[];
}

/** Null: over. A list: the tokens that were revoked because the refresh token had been used before. */
type Outcome = IssuedTokens | readonly string[] | null;

/**
 * Refresh tokens. Each works once and is followed by another; one that comes again was stolen, and ends all of them. For
 * `REFRESH_LEEWAY` after its first use it may come again all the same: from a parallel request, or because the answer was
 * lost.
 */
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
   * New tokens for a refresh token, which is used up.
   * Errors: `invalid_grant`; `invalid_scope` when a scope was not allowed, and then nothing is used up.
   */
  async redeem(
    authorization: Authorization,
    { refreshToken, scope, leewayMs }: ShownRefreshToken,
  ): Promise<IssuedTokens> {
    const scopes = narrowed(authorization.scopes, scope);
    const outcome = await this.dataSource.transaction(async (manager) =>
      this.#try(manager, { id: authorization.id, refreshToken, leewayMs, scopes }),
    );
    if (outcome !== null && 'accessToken' in outcome) return outcome;
    if (outcome !== null) {
      const { id: authorizationId, appId, userId } = authorization;
      this.security.write('refresh_token_reused', { authorizationId, appId, userId });
      await this.revocations.tell(outcome);
    }
    throw REFUSED;
  }

  async #try(manager: EntityManager, { id, refreshToken, leewayMs, scopes }: Try): Promise<Outcome> {
    const authorization = await this.tokenPairs.lock(manager, id);
    const table = manager.getRepository(RefreshToken);
    const row = await table.findOneBy({ sha256: sha256(refreshToken) });
    if (!row || authorization.revokedAt !== null) return null;
    const isReused = row.usedAt !== null && Date.now() - row.usedAt.getTime() >= leewayMs;
    if (isReused) return (await endAuthorizations(manager, authorization)).tokenSha256s;
    if (row.expiresAt.getTime() <= Date.now() || this.tokenPairs.msLeft(authorization) <= 0) return null;
    // The leeway counts from the first use; a second use leaves the tokens of the first, which its caller may hold.
    if (row.usedAt === null) {
      await table.update({ sha256: row.sha256 }, { usedAt: new Date() });
      await this.authorizations.endFormerTokens(manager, id);
    }
    return this.tokenPairs.issue(manager, authorization, scopes);
  }
}

function narrowed(allowed: readonly Scope[], scope: string | null): readonly Scope[] {
  if (scope === null) return allowed;
  const asked = parseScopes(scope);
  if (!asked?.every((one) => allowed.includes(one))) {
    throw new SettleError('invalid_scope', 'scope names what the user did not allow. Leave it out, or ask the user.');
  }
  return asked;
}
