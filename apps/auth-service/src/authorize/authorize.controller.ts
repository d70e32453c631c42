import { Body, Controller, Get, Inject, Post, Req, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import type { FastifyRequest } from 'fastify';
import { ButtonForm, form, password, text, type FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { extractQuery } from '../http/query-parameters.js';
import { SETTINGS } from '../injection/providers.js';
import { buildOauthPaths } from '../oauth/oauth-paths.js';
import { withReturnTo } from '../pages/return-path.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { CurrentExchange } from '../sign-in/exchange.js';
import type { Exchange } from '../sign-in/session-cookie.js';
import { Sessions } from '../sign-in/sessions.js';
import { renderSignIn, type SignInPage } from '../sign-in/sign-in.page.js';
import { SignInGuard, type SignInExchange } from '../sign-in/sign-in.strategy.js';
import { AuthorizationRequestReader } from './authorization-request-reader.js';
import { AuthorizationRequestError, buildResponseUrl, type AuthorizationRequest } from './authorization-request.js';
import { renderInvalidRequest } from './authorize.pages.js';
import { ConsentPages } from './consent-pages.js';
import { GrantIssuer, canRemember } from './grant-issuer.js';

const SignInForm = form({ username: text(320), password });

/** The authorization endpoint: lets the user sign in and out, and then authorize the app. */
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
  async authorize(@CurrentExchange() exchange: Exchange): Promise<PageResponse> {
    const { request } = exchange;
    const signedIn = await this.sessions.current(request);
    const authorization = await this.requests.read(extractQuery(request.url)).catch((error: unknown) => {
      if (signedIn || !(error instanceof AuthorizationRequestError)) throw error;
      return error;
    });
    if (authorization instanceof AuthorizationRequestError) return this.#faultPage(authorization);
    if (!signedIn) return signInPage(authorization, { formToken: this.sessions.formToken(exchange) });
    const granted = await this.grants.issueFromConsent(authorization, signedIn.userId);
    if (granted) return redirect(buildResponseUrl(authorization, granted, this.settings.publicUrl));
    const html = await this.consentPages.render(authorization, signedIn);
    return page(html, { formSources: 'anywhere' });
  }

  /**
   * Shows the error to a user who is not signed in, who then decides whether to follow the redirect. An immediate redirect
   * of invalid requests would be an open redirector (RFC 9700 4.11.2).
   */
  #faultPage({ code, message, target }: AuthorizationRequestError): PageResponse {
    const parameters = { error: code, error_description: message };
    const redirectHost = new URL(target.redirectUri).host;
    const href = buildResponseUrl(target, parameters, this.settings.publicUrl);
    return page(renderInvalidRequest({ message, code, redirectHost, href }), { status: 400 });
  }

  @Post('sign-in')
  @UseGuards(CsrfGuard(SignInForm, findReturnPath), SignInGuard)
  async signIn(
    @CurrentExchange() exchange: SignInExchange,
    @Body() { form_token: formToken, username: login }: FormOf<typeof SignInForm>,
  ): Promise<PageResponse> {
    const authorization = await this.requests.read(extractQuery(exchange.request.url));
    const { user } = exchange.request;
    if (!user || (await this.sessions.begin(user, exchange)) === null) {
      return signInPage(authorization, { formToken, login, isWrong: true }, 403);
    }
    return redirect(`/v1/oauth/authorize?${authorization.query}`);
  }

  /** Shows the page again when the user reloads the URL of a form. */
  @Get(['sign-in', 'sign-out'])
  reload(@Req() request: FastifyRequest): PageResponse {
    return redirect(findReturnPath(request));
  }

  @Post('sign-out')
  @UseGuards(CsrfGuard(ButtonForm))
  async signOut(@Req() request: FastifyRequest): Promise<PageResponse> {
    const { query } = await this.requests.read(extractQuery(request.url));
    await this.sessions.end(request);
    return redirect(`/v1/oauth/authorize?${query}`);
  }
}

function findReturnPath({ url }: FastifyRequest): string {
  return `/v1/oauth/authorize?${extractQuery(url)}`;
}

/** Returns the page on which the user signs in before deciding about a request. */
function signInPage(
  request: AuthorizationRequest,
  content: Pick<SignInPage, 'formToken' | 'login' | 'isWrong'>,
  status = 200,
): PageResponse {
  const { app, query } = request;
  const signUpPath = withReturnTo('/account/sign-up', `/v1/oauth/authorize?${query}`);
  const html = renderSignIn({ appName: app.name, action: `/v1/oauth/sign-in?${query}`, signUpPath, ...content });
  // After the sign-in, only a remembered consent redirects to the app at once.
  return page(html, { status, formSources: canRemember(request) ? 'anywhere' : [] });
}
