import { Inject, Injectable } from '@nestjs/common';
import { LIMITS, type Settings } from '@settle/config';
import { SettleError, type Scope } from '@settle/contracts';
import { IsNull, Not, type EntityManager } from 'typeorm';
import { SETTINGS } from '../providers.js';
import { randomSecret, sha256 } from '../secrets.js';
import { Authorization } from '../tables/authorization.entity.js';
import { Credential } from '../tables/credential.entity.js';
import { RefreshToken } from '../tables/refresh-token.entity.js';
import { Tokens } from '../tokens/tokens.js';

/** What an app of the server-side flow is given. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scopes: readonly Scope[];
  /** Of the access token. */
  readonly lifeMs: number;
  /** Whether these are all the scopes that the app asked for. */
  readonly isWhole: boolean;
}

/** Access tokens with a refresh token beside each. */
@Injectable()
export class TokenPairs {
  constructor(
    private readonly tokens: Tokens,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * The authorization as it is now, and until the transaction ends: whoever issues or ends tokens of it waits.
   * Error: `invalid_grant` when it is so old that it was removed.
   */
  async lock(manager: EntityManager, authorizationId: string): Promise<Authorization> {
    const where = { id: authorizationId };
    const found = await manager.findOne(Authorization, { where, lock: { mode: 'pessimistic_write' } });
    if (!found) throw new SettleError('invalid_grant', 'What the user allowed is long over. Ask the user again.');
    return found;
  }

  /** Milliseconds until nothing more comes of the authorization, however often it is refreshed; below 0: it is over. */
  msLeft({ begunAt }: Authorization): number {
    return begunAt.getTime() + this.settings.refreshFamilyMs - Date.now();
  }

  /**
   * Issues both under the lock of their authorization. Error: `invalid_grant` while the user's account is frozen for
   * reading; with the transaction, what was used up for them is undone.
   * @param scopes fewer than were allowed, if the app wants fewer
   */
  async issue(manager: EntityManager, authorization: Authorization, scopes?: readonly Scope[]): Promise<IssuedTokens> {
    const { id: authorizationId, appId, userId } = authorization;
    const granted = scopes ?? authorization.scopes;
    if (await manager.existsBy(Credential, { userId, readingFrozenAt: Not(IsNull()) })) {
      throw new SettleError('invalid_grant', "The user's account is frozen. Try again once it is not.");
    }
    const refreshToken = randomSecret();
    const msLeft = this.msLeft(authorization);
    const expiresAt = new Date(Date.now() + Math.min(LIMITS.auth.refreshTokenMs, msLeft));
    const lifeMs = Math.min(LIMITS.auth.serverTokenMs, msLeft);
    const accessToken = await this.tokens.issue(manager, { authorizationId, appId, userId, scopes: granted, lifeMs });
    await manager.getRepository(RefreshToken).insert({ sha256: sha256(refreshToken), authorizationId, expiresAt });
    await manager.getRepository(Authorization).update({ id: authorizationId }, { endsAt: expiresAt });
    return { accessToken, refreshToken, scopes: granted, lifeMs, isWhole: true };
  }
}
