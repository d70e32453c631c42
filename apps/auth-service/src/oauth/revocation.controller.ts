import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { oauthPaths } from './oauth-paths.js';
import { readClientCredentials } from './client-credentials.js';
import { Clients } from './clients.js';
import { readForm } from './form-body.js';
import { refusalFor } from './legacy-apps.js';
import { TakingBack } from './taking-back.js';

const FIELDS = ['client_id', 'client_secret', 'token', 'token_type_hint'];

/** RFC 7009. */
@Controller(oauthPaths('/revoke'))
export class RevocationController {
  constructor(
    private readonly clients: Clients,
    private readonly takingBack: TakingBack,
  ) {}

  /** The hint is not needed: a token is looked for among both kinds. Some clients cannot read an empty answer. */
  @Post()
  @HttpCode(200)
  async revoke(@Req() request: FastifyRequest): Promise<object> {
    const form = readForm(request, FIELDS);
    const app = await this.clients.authenticate(readClientCredentials(form, request.headers.authorization));
    try {
      const token = form.get('token');
      if (token === undefined) throw new SettleError('invalid_request', 'Send the token to take back as token.');
      await this.takingBack.revoke(app, token);
      return {};
    } catch (error) {
      throw refusalFor(app, error);
    }
  }
}
