import { Controller, Delete, Header, HttpCode, Post, Req } from '@nestjs/common';
import { withLegacyDatetimes } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { readEnvironment, buildOauthPaths } from './oauth-paths.js';
import { extractQuery, parseQuery } from '../http/query-parameters.js';
import { readClientCredentials } from './client-credentials.js';
import { ClientAuthenticator } from './client-authenticator.js';
import { readForm } from './form-body.js';
import { toAppError } from './legacy-errors.js';
import { readPresentedToken } from './presented-token.js';
import { TokenRevocation } from './token-revocation.js';
import { TokenEndpoint } from './token-endpoint.js';
import { TOKEN_FIELDS, readTokenRequest } from './token-request.js';

/** Issues tokens to apps, and revokes the presented one. */
@Controller(buildOauthPaths('/access_token'))
export class TokenController {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly endpoint: TokenEndpoint,
    private readonly tokenRevocation: TokenRevocation,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('pragma', 'no-cache')
  async issue(@Req() request: FastifyRequest): Promise<object> {
    const form = readForm(request, TOKEN_FIELDS);
    const app = await this.clients.authenticate(readClientCredentials(form, request.headers.authorization));
    try {
      const response = await this.endpoint.issueTokens(app, readTokenRequest(form), readEnvironment(request.url));
      return app.legacyAnswers ? (withLegacyDatetimes(response) as object) : response;
    } catch (error) {
      throw toAppError(app, error);
    }
  }

  /** Requires no client authentication: the token itself is the permission. */
  @Delete()
  @HttpCode(204)
  async revoke(@Req() request: FastifyRequest): Promise<void> {
    const query = parseQuery(extractQuery(request.url));
    const { authorization } = request.headers;
    await this.tokenRevocation.revokePresented(
      readPresentedToken({ query, form: readForm(request, []), authorization }),
    );
  }
}
