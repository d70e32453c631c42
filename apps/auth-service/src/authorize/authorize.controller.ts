import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Settings } from '@settle/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { buildOauthPaths } from '../oauth/oauth-paths.js';
import { renderFaultyRequest, renderSignIn } from '../pages/pages.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { SETTINGS } from '../providers.js';
import { Sessions } from '../sign-in/sessions.js';
import { Allowing } from './allowing.js';
import { answerWith } from './authorization-answer.js';
import { AuthorizationRefused } from './authorization-request.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { ConsentPages } from './consent-pages.js';
import { queryOf } from './query-parameters.js';

/** Where an app sends people: asks them to sign in, then whether they let the app in. */
@Controller(buildOauthPaths())
export class AuthorizeController {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly consentPages: ConsentPages,
    private readonly allowing: Allowing,
    private readonly sessions: Sessions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('authorize')
  async authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const signedIn = await this.sessions.current(request);
    const asked = await this.requests.read(queryOf(request.url)).catch((error: unknown) => {
      if (signedIn || !(error instanceof AuthorizationRefused)) throw error;
      return error;
    });
    if (asked instanceof AuthorizationRefused) return this.#showFault(reply, asked);
    const { appName, query, redirectUri } = asked;
    const allowed = signedIn && (await this.allowing.allowAsBefore(asked, signedIn.userId));
    if (allowed) return leadTo(reply, answerWith(asked, allowed, this.settings.publicUrl));
    const html = signedIn
      ? await this.consentPages.render(asked, signedIn)
      : renderSignIn({ appName, query, formToken: this.sessions.formToken(request, reply), login: '', isWrong: false });
    await sendPage(reply, html, { formLeadsTo: redirectUri });
  }

  /**
   * Any app can make a link to us with a fault in it: were it led on from at once, it would be a redirect to anywhere in
   * our name. So a user who is not signed in reads where it leads and decides (RFC 9700 4.11.2).
   */
  async #showFault(reply: FastifyReply, { reason, message, answer }: AuthorizationRefused): Promise<void> {
    const told = { error: reason, error_description: message };
    const html = renderFaultyRequest({
      message,
      code: reason,
      returnsTo: new URL(answer.redirectUri).host,
      href: answerWith(answer, told, this.settings.publicUrl),
    });
    await sendPage(reply, html, { status: 400 });
  }

  /** Whoever comes back to the address of the form is shown the page anew. */
  @Get('sign-in')
  async again(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await leadTo(reply, `/v1/oauth/authorize?${queryOf(request.url)}`);
  }
}
