import { Controller, Delete, Header, HttpCode, Post, Req } from '@nestjs/common';
import { withLegacyDatetimes } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { environmentOfUrl, oauthPaths } from './oauth-paths.js';
import { extractQuery, parseQuery } from '../authorize/query-parameters.js';
import { readClientCredentials } from './client-credentials.js';
import { Clients } from './clients.js';
import { readForm } from './form-body.js';
import { refusalFor } from './legacy-apps.js';
import { readShownToken } from './shown-token.js';
import { TakingBack } from './taking-back.js';
import { TokenEndpoint } from './token-endpoint.js';
import { TOKEN_FIELDS, readTokenRequest } from './token-request.js';

/** Where apps get their tokens, and give one back. */
@Controller(oauthPaths('/access_token'))
export class TokenController {
  constructor(
    private readonly clients: Clients,
    private readonly endpoint: TokenEndpoint,
    private readonly takingBack: TakingBack,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('pragma', 'no-cache')
  async issue(@Req() request: FastifyRequest): Promise<object> {
    const form = readForm(request, TOKEN_FIELDS);
    const app = await this.clients.authenticate(readClientCredentials(form, request.headers.authorization));
    try {
      const answer = await this.endpoint.answer(app, readTokenRequest(form), environmentOfUrl(request.url));
      return app.legacyAnswers ? (withLegacyDatetimes(answer) as object) : answer;
    } catch (error) {
      throw refusalFor(app, error);
    }
  }

  /** The token itself is the right to give it back. */
  @Delete()
  @HttpCode(204)
  async giveBack(@Req() request: FastifyRequest): Promise<void> {
    const query = parseQuery(extractQuery(request.url));
    const { authorization } = request.headers;
    await this.takingBack.giveBack(readShownToken({ query, form: readForm(request, []), authorization }));
  }
}
