import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@settle/config';
import type { Environment } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { SETTINGS } from '../injection/providers.js';
import type { App } from '../tables/app.entity.js';
import { AuthorizationCodes } from './authorization-codes.js';
import { ResourceOwnerLoader } from './resource-owner-loader.js';
import { RefreshTokens } from './refresh-tokens.js';
import { serializeTokens } from './token-response.js';
import type { TokenRequest } from './token-request.js';

@Injectable()
export class TokenEndpoint {
  constructor(
    private readonly codes: AuthorizationCodes,
    private readonly refreshTokens: RefreshTokens,
    private readonly owners: ResourceOwnerLoader,
    private readonly security: SecurityLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Returns the token response. Loads the user first, so that the code or refresh token stays valid if another service
   * is unavailable. Errors: `invalid_grant`, `invalid_scope`, `service_unavailable`. @param environment of the balance
   */
  async issueTokens({ clientId: appId }: App, request: TokenRequest, environment: Environment): Promise<object> {
    const authorization =
      request.kind === 'code'
        ? await this.codes.findAuthorization({ appId, code: request.code })
        : await this.refreshTokens.findAuthorization(appId, request.refreshToken);
    const owner = await this.owners.load(authorization, environment);
    const { id: authorizationId, userId } = authorization;
    const facts = { appId, userId, authorizationId, kind: request.kind };
    try {
      const issued =
        request.kind === 'code'
          ? await this.codes.redeem(authorization, { appId, ...request })
          : await this.refreshTokens.redeem(authorization, { ...request, leewayMs: this.settings.refreshLeewayMs });
      this.security.write('tokens_issued', facts);
      return serializeTokens(issued, owner);
    } catch (error) {
      this.security.write('tokens_refused', facts);
      throw error;
    }
  }
}
