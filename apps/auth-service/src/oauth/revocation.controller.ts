import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { buildOauthPaths } from './oauth-paths.js';
import { readClientCredentials } from './client-credentials.js';
import { ClientAuthenticator } from './client-authenticator.js';
import { readForm } from './form-body.js';
import { toAppError } from './legacy-errors.js';
import { TokenRevocation } from './token-revocation.js';

const FIELDS = ['client_id', 'client_secret', 'token', 'token_type_hint'];

/** Token revocation (RFC 7009). */
@Controller(buildOauthPaths('/revoke'))
export class RevocationController {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly tokenRevocation: TokenRevocation,
  ) {}

  /** Ignores `token_type_hint`. Returns an object, because some clients cannot read an empty body. */
  @Post()
  @HttpCode(200)
  async revoke(@Req() request: FastifyRequest): Promise<object> {
    const form = readForm(request, FIELDS);
    const app = await this.clients.authenticate(readClientCredentials(form, request.headers.authorization));
    try {
      const token = form.get('token');
      if (token === undefined)
        throw new SettleError('invalid_request', 'The token is missing. Send it in the field token.');
      await this.tokenRevocation.revoke(app, token);
      return {};
    } catch (error) {
      throw toAppError(app, error);
    }
  }
}
