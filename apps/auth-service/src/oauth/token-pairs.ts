import { Inject, Injectable } from '@nestjs/common';
import { LIMITS, type Settings } from '@settle/config';
import { SettleError, type Scope } from '@settle/contracts';
import { IsNull, Not, type EntityManager } from 'typeorm';
import { SETTINGS } from '../injection/providers.js';
import { randomSecret, sha256 } from '../secrets/secrets.js';
import { Authorization } from '../tables/authorization.entity.js';
import { Credential } from '../tables/credential.entity.js';
import { RefreshToken } from '../tables/refresh-token.entity.js';
import { Tokens } from '../tokens/tokens.js';

/** The tokens of an app of the server-side flow. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scopes: readonly Scope[];
  /** Lifetime of the access token. */
  readonly lifeMs: number;
  /** Whether the user granted every requested scope. */
  readonly isWhole: boolean;
}

/** Issues access tokens, each with a refresh token. */
@Injectable()
export class TokenPairs {
  constructor(
    private readonly tokens: Tokens,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Loads the authorization and locks its row until the transaction ends. Error: `invalid_grant` if the row is already
   * deleted.
   */
  async lock(manager: EntityManager, authorizationId: string): Promise<Authorization> {
    const where = { id: authorizationId };
    const found = await manager.findOne(Authorization, { where, lock: { mode: 'pessimistic_write' } });
    if (!found) throw new SettleError('invalid_grant', 'The authorization has expired. Ask the user again.');
    return found;
  }

  /** Returns the milliseconds until the authorization can no longer be refreshed; negative: it has expired. */
  getRemainingMs({ begunAt }: Authorization): number {
    return begunAt.getTime() + this.settings.refreshFamilyMs - Date.now();
  }

  /**
   * Issues both tokens under the lock of their authorization. Error: `invalid_grant` while the user's account is frozen
   * for reading; the rollback leaves the redeemed code or refresh token valid.
   * @param scopes fewer than the user granted, if the app requests fewer
   */
  async issue(manager: EntityManager, authorization: Authorization, scopes?: readonly Scope[]): Promise<IssuedTokens> {
    const { id: authorizationId, appId, userId } = authorization;
    const granted = scopes ?? authorization.scopes;
    if (await manager.existsBy(Credential, { userId, readingFrozenAt: Not(IsNull()) })) {
      throw new SettleError('invalid_grant', "The user's account is frozen. Try again after it is unfrozen.");
    }
    const refreshToken = randomSecret();
    const remainingMs = this.getRemainingMs(authorization);
    const expiresAt = new Date(Date.now() + Math.min(LIMITS.auth.refreshTokenMs, remainingMs));
    const lifeMs = Math.min(LIMITS.auth.serverTokenMs, remainingMs);
    const accessToken = await this.tokens.issue(manager, { authorizationId, appId, userId, scopes: granted, lifeMs });
    await manager.getRepository(RefreshToken).insert({ sha256: sha256(refreshToken), authorizationId, expiresAt });
    await manager.getRepository(Authorization).update({ id: authorizationId }, { endsAt: expiresAt });
    return { accessToken, refreshToken, scopes: granted, lifeMs, isWhole: true };
  }
}
