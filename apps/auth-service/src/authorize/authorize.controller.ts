import { Controller, Get, Req, Res } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderConsent, renderSignIn } from '../pages/pages.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { formTokenOf, SessionCookie } from '../sign-in/session-cookie.js';
import { Sessions } from '../sign-in/sessions.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { Consents } from './consents.js';
import { queryOf } from './query-parameters.js';
import { SCOPE_WORDS } from './scopes.js';

const LIFETIME = `${LIMITS.auth.clientTokenMs / 60_000} minutes`;

/** Where an app sends people: asks them to sign in, then whether they let the app in. */
@Controller('v1/oauth')
export class AuthorizeController {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly consents: Consents,
    private readonly sessions: Sessions,
    private readonly cookie: SessionCookie,
  ) {}

  @Get('authorize')
  async authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await this.requests.read(queryOf(request.url));
    const formToken = formTokenOf(this.cookie.readOrSet(request, reply));
    const signedIn = await this.sessions.current(request);
    const { appName, query, redirectUri } = asked;
    const html = signedIn
      ? renderConsent({
          appName,
          query,
          formToken,
          requestId: await this.consents.ask(signedIn.sessionId, asked),
          abilities: asked.scopes.map((scope) => SCOPE_WORDS[scope]),
          lifetime: LIFETIME,
          leadsTo: redirectUri,
          username: signedIn.username,
        })
      : renderSignIn({ appName, query, formToken, login: '', isWrong: false });
    await sendPage(reply, html, { formLeadsTo: redirectUri });
  }

  /** Whoever comes back to the address of the form is shown the page anew. */
  @Get('sign-in')
  async again(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await leadTo(reply, `/v1/oauth/authorize?${queryOf(request.url)}`);
  }
}
