import { Injectable } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { DataSource } from 'typeorm';
import { sha256 } from '../secrets.js';
import type { App } from '../tables/app.entity.js';
import { Authorization } from '../tables/authorization.entity.js';
import { Token } from '../tables/token.entity.js';
import { Tokens } from '../tokens/tokens.js';
import { Authorizations } from './authorizations.js';
import { RefreshTokens } from './refresh-tokens.js';

/**
 * Takes tokens back. With either kind of token ends the authorization that it hangs on, and all that came of it: an
 * app that gives one up should not keep the other (RFC 7009 2.1).
 */
@Injectable()
export class TakingBack {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authorizations: Authorizations,
    private readonly refreshTokens: RefreshTokens,
    private readonly tokens: Tokens,
  ) {}

  /**
   * Takes a token of this app back, of whichever kind; an unknown one is as good as taken back (RFC 7009 2.2).
   * Errors: `invalid_grant` for another app's token; `outcome_unknown` when gateways are told late.
   */
  async revoke({ clientId }: App, token: string): Promise<void> {
    const found = (await this.#ofAccessToken(token)) ?? (await this.refreshTokens.find(token));
    if (!found) return;
    if (found.appId !== clientId) {
      throw new SettleError('invalid_grant', 'The token belongs to another app, which alone can take it back.');
    }
    await this.authorizations.end(found);
  }

  /**
   * Takes back the access token that is shown, also while its user's account is frozen for reading. Errors: the others of
   * `Tokens.check`, and `outcome_unknown`.
   */
  async giveBack(token: string): Promise<void> {
    await this.tokens.check(sha256(token).toString('hex')).catch((error: unknown) => {
      if (!(error instanceof SettleError) || error.code !== 'account_frozen') throw error;
    });
    const found = await this.#ofAccessToken(token);
    if (found) await this.authorizations.end(found);
  }

  #ofAccessToken(token: string): Promise<Authorization | null> {
    return this.dataSource
      .getRepository(Authorization)
      .createQueryBuilder('authorization')
      .innerJoin(Token, 'token', 'token.authorization_id = authorization.id')
      .where('token.sha256 = :sha256', { sha256: sha256(token) })
      .getOne();
  }
}
