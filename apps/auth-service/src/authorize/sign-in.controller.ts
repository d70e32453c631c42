import { Body, Controller, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ButtonForm, type FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { extractQuery } from '../http/query-parameters.js';
import { buildOauthPaths } from '../oauth/oauth-paths.js';
import { withReturnTo } from '../pages/return-path.js';
import { CurrentExchange } from '../sign-in/exchange.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { Sessions } from '../sign-in/sessions.js';
import { renderSignIn, type SignInPage } from '../sign-in/sign-in.page.js';
import { SignInGuard, type SignInExchange } from '../sign-in/sign-in.strategy.js';
import { AuthorizationRequestReader } from './authorization-request-reader.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { SignInForm } from './forms.js';

/** Signs users in and out during an authorization request, which the query carries. */
@Controller(buildOauthPaths())
export class SignInController {
  constructor(
    private readonly requests: AuthorizationRequestReader,
    private readonly sessions: Sessions,
  ) {}

  @Post('sign-in')
  @UseGuards(CsrfGuard(SignInForm), SignInGuard)
  async signIn(
    @CurrentExchange() exchange: SignInExchange,
    @Body() form: FormOf<typeof SignInForm>,
  ): Promise<PageResponse> {
    const authorization = await this.requests.read(extractQuery(exchange.request.url));
    const { user } = exchange.request;
    if (!user || (await this.sessions.begin(user, exchange)) === null) {
      return appSignInPage(authorization, { formToken: form.form_token, login: form.username, isWrong: true }, 403);
    }
    return redirect(`/v1/oauth/authorize?${authorization.query}`);
  }

  @Post('sign-out')
  @UseGuards(CsrfGuard(ButtonForm))
  async signOut(@Req() request: FastifyRequest): Promise<PageResponse> {
    const { query } = await this.requests.read(extractQuery(request.url));
    await this.sessions.end(request);
    return redirect(`/v1/oauth/authorize?${query}`);
  }
}

/** Returns the page on which the user signs in before deciding about a request. */
export function appSignInPage(
  { appName, query, redirectUri }: AuthorizationRequest,
  content: Pick<SignInPage, 'formToken' | 'login' | 'isWrong'>,
  status = 200,
): PageResponse {
  const signUpPath = withReturnTo('/account/sign-up', `/v1/oauth/authorize?${query}`);
  const html = renderSignIn({ appName, action: `/v1/oauth/sign-in?${query}`, signUpPath, ...content });
  return page(html, { status, formRedirectsTo: redirectUri });
}
