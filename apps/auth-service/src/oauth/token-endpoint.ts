import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@settle/observability';
import { LOGGER } from '../providers.js';
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
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The answer to a token request of an app that has said who it is. The other services are asked first: when one of
   * them is away nothing is used up. Errors: `invalid_grant`, `invalid_scope`, `service_unavailable`.
   */
  async answer({ clientId: appId }: App, asked: TokenRequest, requestId: string | undefined): Promise<object> {
    const authorization =
      asked.kind === 'code'
        ? await this.codes.ownerOf({ appId, code: asked.code })
        : await this.refreshTokens.ownerOf(appId, asked.refreshToken);
    const owner = await this.owners.describe(authorization, requestId);
    const { id: authorizationId, userId } = authorization;
    const tried = { requestId, appId, userId, authorizationId, grant: asked.kind };
    try {
      const issued =
        asked.kind === 'code'
          ? await this.codes.redeem(authorization, { appId, ...asked })
          : await this.refreshTokens.redeem(authorization, asked.refreshToken, asked.scope);
      this.logger.info(tried, 'Tokens issued');
      return printTokens(issued, owner);
    } catch (error) {
      this.logger.warn(tried, 'Tokens refused');
      throw error;
    }
  }
}
