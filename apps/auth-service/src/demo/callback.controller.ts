import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { DEMO_APP, DEMO_USERS, SCOPES } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { extractQuery, parseQuery } from '../http/query-parameters.js';
import { renderCallback } from '../pages/pages.js';
import { sendPage } from '../http/send-page.js';
import { SETTINGS } from '../injection/providers.js';
import { looksLikeSecret } from '../secrets/secrets.js';

const START_PATH = `/v1/oauth/authorize?client_id=${DEMO_APP.clientId}&scope=${SCOPES.join('+')}`;

/** The redirect URI of the demo app: shows what an app receives. Registered only with the demo data. */
@Controller()
export class CallbackController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Get(DEMO_APP.redirectPath)
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const parameters = parseQuery(extractQuery(request.url));
    const [token = ''] = parameters.get('access_token') ?? [];
    const [error = null] = parameters.get('error') ?? [];
    const isToken = looksLikeSecret(token);
    const html = renderCallback({
      title: isToken ? 'Your access token' : DEMO_APP.name,
      token: isToken ? token : null,
      error,
      publicUrl: this.settings.publicUrl,
      payeeId: DEMO_USERS.bob.id,
      startPath: START_PATH,
    });
    await sendPage(reply, html);
  }
}
