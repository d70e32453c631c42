import { Body, Controller, Get, Post, Query, Req, UseGuards } from '@nestjs/common';
import { SecurityLog } from '@settle/observability';
import type { FastifyRequest } from 'fastify';
import { ButtonForm, form, password, text, type FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { getConfirmation } from '../pages/confirmations.js';
import { AUTHORIZE_PATH, parseReturnPath, withReturnTo } from '../pages/return-path.js';
import { CurrentBrowser, CurrentExchange, type Browser } from '../sign-in/exchange.js';
import { CsrfGuard, PostForm } from '../sign-in/csrf.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { Sessions, type SignedInUser } from '../sign-in/sessions.js';
import { renderSignIn, type SignInPage } from '../sign-in/sign-in.page.js';
import { SignInGuard, type SignInExchange } from '../sign-in/sign-in.strategy.js';

const AccountSignInForm = form({ return_to: text(8_000), username: text(320), password });

/** Signs users in to and out of the account pages. */
@Controller('account')
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly security: SecurityLog,
  ) {}

  @Get('sign-in')
  page(@CurrentBrowser() { formToken }: Browser, @Query() query: Readonly<Record<string, unknown>>): PageResponse {
    const confirmation = getConfirmation(query.done);
    return signInPage(parseReturnPath(query.return_to), { formToken, confirmation });
  }

  @Post('sign-in')
  @UseGuards(CsrfGuard(AccountSignInForm, findReturnPath), SignInGuard)
  async signIn(
    @CurrentExchange() exchange: SignInExchange,
    @Body() form: FormOf<typeof AccountSignInForm>,
  ): Promise<PageResponse> {
    const returnTo = parseReturnPath(form.return_to);
    const { user } = exchange.request;
    if (!user || (await this.sessions.begin(user, exchange)) === null) {
      return signInPage(returnTo, { formToken: form.form_token, login: form.username, isWrong: true }, 403);
    }
    return redirect(returnTo);
  }

  @PostForm('sign-out', ButtonForm)
  async signOut(@Req() request: FastifyRequest): Promise<PageResponse> {
    await this.sessions.end(request);
    return redirect('/account/sign-in?done=signed-out');
  }

  @Post('sign-out-everywhere')
  @UseGuards(SessionGuard, CsrfGuard(ButtonForm))
  async signOutEverywhere(@CurrentUser() { userId }: SignedInUser): Promise<PageResponse> {
    await this.sessions.endAll(userId);
    this.security.write('sessions_ended', { userId });
    return redirect('/account/sign-in?done=signed-out');
  }
}

function findReturnPath({ body }: FastifyRequest): string {
  return parseReturnPath((body as { readonly return_to?: unknown } | null | undefined)?.return_to);
}

function signInPage(returnTo: string, content: Omit<SignInPage, 'action' | 'signUpPath'>, status = 200): PageResponse {
  const signUpPath = withReturnTo('/account/sign-up', returnTo);
  // The authorization endpoint redirects on to the app if the user has consented before.
  const formSources = returnTo.startsWith(AUTHORIZE_PATH) ? 'anywhere' : [];
  return page(renderSignIn({ action: '/account/sign-in', returnTo, signUpPath, ...content }), { status, formSources });
}
