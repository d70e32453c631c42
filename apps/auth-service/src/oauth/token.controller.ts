import { Controller, Delete, Header, HttpCode, Post, Req, type RawBodyRequest } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { queryOf, readQuery } from '../authorize/query-parameters.js';
import { readClientCredentials } from './client-credentials.js';
import { Clients } from './clients.js';
import { readForm } from './form-body.js';
import { readShownToken } from './shown-token.js';
import { TakingBack } from './taking-back.js';
import { TokenEndpoint } from './token-endpoint.js';
import { TOKEN_FIELDS, readTokenRequest } from './token-request.js';

type Request = RawBodyRequest<FastifyRequest>;

/** Where apps get their tokens, and give one back. */
@Controller('v1/oauth/access_token')
export class TokenController {
  constructor(
    private readonly clients: Clients,
    private readonly endpoint: TokenEndpoint,
    private readonly takingBack: TakingBack,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('pragma', 'no-cache')
  async issue(@Req() request: Request): Promise<object> {
    const form = readForm(request, TOKEN_FIELDS);
    const app = await this.clients.authenticate(readClientCredentials(form, request.headers.authorization));
    return this.endpoint.answer(app, readTokenRequest(form));
  }

  /** The token itself is the right to give it back. */
  @Delete()
  @HttpCode(204)
  async giveBack(@Req() request: Request): Promise<void> {
    const query = readQuery(queryOf(request.url));
    const { authorization } = request.headers;
    await this.takingBack.giveBack(readShownToken({ query, form: readForm(request, []), authorization }));
  }
}
