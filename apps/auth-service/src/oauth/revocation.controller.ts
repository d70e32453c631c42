import { Controller, HttpCode, Post, Req, type RawBodyRequest } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { readClientCredentials } from './client-credentials.js';
import { Clients } from './clients.js';
import { readForm } from './form-body.js';
import { TakingBack } from './taking-back.js';

const FIELDS = ['client_id', 'client_secret', 'token', 'token_type_hint'];

/** RFC 7009. */
@Controller('v1/oauth/revoke')
export class RevocationController {
  constructor(
    private readonly clients: Clients,
    private readonly takingBack: TakingBack,
  ) {}

  /** The hint is not needed: a token is looked for among both kinds. Some clients cannot read an empty answer. */
  @Post()
  @HttpCode(200)
  async revoke(@Req() request: RawBodyRequest<FastifyRequest>): Promise<object> {
    const form = readForm(request, FIELDS);
    const app = await this.clients.authenticate(readClientCredentials(form, request.headers.authorization));
    const token = form.get('token');
    if (token === undefined) throw new SettleError('invalid_request', 'Send the token to take back as token.');
    await this.takingBack.revoke(app, token);
    return {};
  }
}
