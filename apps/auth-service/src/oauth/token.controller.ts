import { Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { withLegacyDatetimes, type Environment } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { SecurityLog } from '@settle/observability';
import type { FastifyRequest } from 'fastify';
import type { App } from '../tables/app.entity.js';
import { ClientAuthenticator } from './client-authenticator.js';
import { buildOauthPaths, readEnvironment } from './oauth-paths.js';
import { loadResourceOwner } from './resource-owner.js';
import { TokenGrants } from './token-grants.js';
import { TOKEN_FIELDS, readTokenRequest, type TokenRequest } from './token-request.js';
import { serializeTokens } from './token-response.js';

/** Issues tokens to apps. */
@Controller(buildOauthPaths('/access_token'))
export class TokenController {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly grants: TokenGrants,
    private readonly client: MessageClient,
    private readonly security: SecurityLog,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('pragma', 'no-cache')
  issue(@Req() request: FastifyRequest): Promise<object> {
    return this.clients.handle(request, TOKEN_FIELDS, async (app, form) => {
      const response = await this.#issueTokens(app, readTokenRequest(form), readEnvironment(request.url));
      return app.legacyAnswers ? (withLegacyDatetimes(response) as object) : response;
    });
  }

  /**
   * Returns the token response. Loads the user first, so that the code or refresh token stays valid if another service
   * is unavailable. Errors: `invalid_grant`, `invalid_scope`, `service_unavailable`. @param environment of the balance
   */
  async #issueTokens({ clientId: appId }: App, request: TokenRequest, environment: Environment): Promise<object> {
    const authorization = await this.grants.findAuthorization(appId, request);
    const owner = await loadResourceOwner(this.client, authorization, environment);
    const { id: authorizationId, userId } = authorization;
    const facts = { appId, userId, authorizationId, kind: request.kind };
    try {
      const issued = await this.grants.redeem(authorization, request);
      this.security.write('tokens_issued', facts);
      return serializeTokens(issued, owner);
    } catch (error) {
      this.security.write('tokens_refused', facts);
      throw error;
    }
  }
}
