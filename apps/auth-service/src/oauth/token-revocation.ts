import { Injectable } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { DataSource } from 'typeorm';
import { sha256 } from '../secrets/secrets.js';
import type { App } from '../tables/app.entity.js';
import { Authorization } from '../tables/authorization.entity.js';
import { Token } from '../tables/token.entity.js';
import { Tokens } from '../tokens/tokens.js';
import { Authorizations } from './authorizations.js';
import { RefreshTokens } from './refresh-tokens.js';

/**
 * Revokes tokens. Either kind of token revokes its authorization with all of its tokens: an app that gives up one
 * should not keep the other (RFC 7009 2.1).
 */
@Injectable()
export class TokenRevocation {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authorizations: Authorizations,
    private readonly refreshTokens: RefreshTokens,
    private readonly tokens: Tokens,
  ) {}

  /**
   * Revokes an access or refresh token of this app; an unknown token counts as revoked (RFC 7009 2.2).
   * Errors: `invalid_grant` for another app's token; `outcome_unknown` if a gateway learns of it too late.
   */
  async revoke({ clientId }: App, token: string): Promise<void> {
    const found = (await this.#findByAccessToken(token)) ?? (await this.refreshTokens.find(token));
    if (!found) return;
    if (found.appId !== clientId) {
      throw new SettleError('invalid_grant', 'The token belongs to another app. Only that app can revoke it.');
    }
    await this.authorizations.revoke(found);
  }

  /**
   * Revokes the presented access token, even while its user's account is frozen for reading. Errors: the others of
   * `Tokens.check`, and `outcome_unknown`.
   */
  async revokePresented(token: string): Promise<void> {
    await this.tokens.check(sha256(token).toString('hex')).catch((error: unknown) => {
      if (!(error instanceof SettleError) || error.code !== 'account_frozen') throw error;
    });
    const found = await this.#findByAccessToken(token);
    if (found) await this.authorizations.revoke(found);
  }

  #findByAccessToken(token: string): Promise<Authorization | null> {
    return this.dataSource
      .getRepository(Authorization)
      .createQueryBuilder('authorization')
      .innerJoin(Token, 'token', 'token.authorization_id = authorization.id')
      .where('token.sha256 = :sha256', { sha256: sha256(token) })
      .getOne();
  }
}
