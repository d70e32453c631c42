import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Settings } from '@settle/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { buildOauthPaths } from '../oauth/oauth-paths.js';
import { renderInvalidRequest, renderSignIn } from '../pages/pages.js';
import { redirect, sendPage } from '../http/send-page.js';
import { SETTINGS } from '../injection/providers.js';
import { Sessions } from '../sign-in/sessions.js';
import { GrantIssuer } from './grant-issuer.js';
import { buildResponseUrl } from './response-url.js';
import { AuthorizationRequestError } from './authorization-request.js';
import { AuthorizationRequestReader } from './authorization-request-reader.js';
import { ConsentPages } from './consent-pages.js';
import { extractQuery } from '../http/query-parameters.js';

/** The authorization endpoint: asks the user to sign in and then to authorize the app. */
@Controller(buildOauthPaths())
export class AuthorizeController {
  constructor(
    private readonly requests: AuthorizationRequestReader,
    private readonly consentPages: ConsentPages,
    private readonly grants: GrantIssuer,
    private readonly sessions: Sessions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('authorize')
  async authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const signedIn = await this.sessions.current(request);
    const authorization = await this.requests.read(extractQuery(request.url)).catch((error: unknown) => {
      if (signedIn || !(error instanceof AuthorizationRequestError)) throw error;
      return error;
    });
    if (authorization instanceof AuthorizationRequestError) return this.#sendFaultPage(reply, authorization);
    const { appName, query, redirectUri } = authorization;
    const granted = signedIn && (await this.grants.issueFromConsent(authorization, signedIn.userId));
    if (granted) return redirect(reply, buildResponseUrl(authorization, granted, this.settings.publicUrl));
    const html = signedIn
      ? await this.consentPages.render(authorization, signedIn)
      : renderSignIn({ appName, query, formToken: this.sessions.formToken(request, reply), login: '', isWrong: false });
    await sendPage(reply, html, { formRedirectsTo: redirectUri });
  }

  /**
   * Shows the error to a user who is not signed in, who then decides whether to follow the redirect. An immediate redirect
   * of invalid requests would be an open redirector (RFC 9700 4.11.2).
   */
  async #sendFaultPage(reply: FastifyReply, { code, message, target }: AuthorizationRequestError): Promise<void> {
    const parameters = { error: code, error_description: message };
    const html = renderInvalidRequest({
      message,
      code,
      redirectHost: new URL(target.redirectUri).host,
      href: buildResponseUrl(target, parameters, this.settings.publicUrl),
    });
    await sendPage(reply, html, { status: 400 });
  }

  /** Shows the page again when the user reloads the URL of the form. */
  @Get('sign-in')
  async reload(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await redirect(reply, `/v1/oauth/authorize?${extractQuery(request.url)}`);
  }
}
