import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@settle/config';
import type { Environment } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { SETTINGS } from '../providers.js';
import type { App } from '../tables/app.entity.js';
import { AuthorizationCodes } from './authorization-codes.js';
import { Owners } from './owners.js';
import { RefreshTokens } from './refresh-tokens.js';
import { printTokens } from './token-answer.js';
import type { TokenRequest } from './token-request.js';

/** Gives an app its tokens. */
@Injectable()
export class TokenEndpoint {
  constructor(
    private readonly codes: AuthorizationCodes,
    private readonly refreshTokens: RefreshTokens,
    private readonly owners: Owners,
    private readonly security: SecurityLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * The answer to a token request of an app that has said who it is. The other services are asked first: when one of
   * them is away nothing is used up. @param environment whose balance is shown. Errors: `invalid_grant`, `invalid_scope`, `service_unavailable`.
   */
  async answer({ clientId: appId }: App, asked: TokenRequest, environment: Environment): Promise<object> {
    const authorization =
      asked.kind === 'code'
        ? await this.codes.ownerOf({ appId, code: asked.code })
        : await this.refreshTokens.ownerOf(appId, asked.refreshToken);
    const owner = await this.owners.describe(authorization, environment);
    const { id: authorizationId, userId } = authorization;
    const tried = { appId, userId, authorizationId, kind: asked.kind };
    try {
      const issued =
        asked.kind === 'code'
          ? await this.codes.redeem(authorization, { appId, ...asked })
          : await this.refreshTokens.redeem(authorization, { ...asked, leewayMs: this.settings.refreshLeewayMs });
      this.security.write('tokens_issued', tried);
      return printTokens(issued, owner);
    } catch (error) {
      this.security.write('tokens_refused', tried);
      throw error;
    }
  }
}
