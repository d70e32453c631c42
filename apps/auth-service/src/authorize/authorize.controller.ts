import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { LIMITS, type Settings } from '@settle/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderConsent, renderSignIn } from '../pages/pages.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { SETTINGS } from '../providers.js';
import { Sessions } from '../sign-in/sessions.js';
import { Allowing } from './allowing.js';
import { answerWith } from './authorization-answer.js';
import type { ResponseType } from './authorization-request.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { Consents } from './consents.js';
import { queryOf } from './query-parameters.js';
import { SCOPE_WORDS } from './scopes.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const LIFETIMES: Readonly<Record<ResponseType, string>> = {
  token: `${LIMITS.auth.clientTokenMs / MINUTE_MS} minutes, then its access ends by itself`,
  code: `${LIMITS.auth.serverTokenMs / DAY_MS} days, and on as the app renews it, until you end it among your connected apps`,
};

/** Where an app sends people: asks them to sign in, then whether they let the app in. */
@Controller('v1/oauth')
export class AuthorizeController {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly consents: Consents,
    private readonly allowing: Allowing,
    private readonly sessions: Sessions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('authorize')
  async authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await this.requests.read(queryOf(request.url));
    const { appName, query, redirectUri } = asked;
    const signedIn = await this.sessions.current(request);
    const allowed = signedIn && (await this.allowing.allowAsBefore(asked, signedIn.userId));
    if (allowed) return leadTo(reply, answerWith(asked, allowed, this.settings.publicUrl));
    const formToken = this.sessions.formToken(request, reply);
    const html = signedIn
      ? renderConsent({
          appName,
          query,
          formToken,
          requestId: await this.consents.ask(signedIn.sessionId, asked),
          abilities: asked.scopes.map((scope) => ({ scope, words: SCOPE_WORDS[scope] })),
          lifetime: LIFETIMES[asked.responseType],
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
