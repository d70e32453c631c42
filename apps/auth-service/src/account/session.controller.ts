import { Body, Controller, Get, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { SecurityLog } from '@settle/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseReturnPath, withReturnTo } from '../pages/return-path.js';
import { redirect, sendPage } from '../http/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { SessionCookie, deriveFormToken } from '../sign-in/session-cookie.js';
import { Sessions, type SignedInUser } from '../sign-in/sessions.js';
import { SignInGuard } from '../sign-in/sign-in.strategy.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { ButtonForm } from '../sign-up/sign-up.forms.js';
import type { Credential } from '../tables/credential.entity.js';
import { AccountSignInForm } from './account.forms.js';
import { renderAccountSignIn, type AccountSignInPage } from './session.pages.js';
import { getConfirmation } from '../pages/confirmations.js';

/** Set by `SignInGuard`. */
type SignInRequest = FastifyRequest & { readonly user: Credential | null };
type SignInPageOptions = Pick<AccountSignInPage, 'formToken' | 'returnTo'> & Partial<AccountSignInPage>;

/** Signs users in to and out of the account pages. */
@Controller('account')
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly cookie: SessionCookie,
    private readonly security: SecurityLog,
  ) {}

  @Get('sign-in')
  async page(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query() query: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const formToken = deriveFormToken(this.cookie.readOrSet(request, reply));
    await sendSignInPage(reply, {
      formToken,
      returnTo: parseReturnPath(query.return_to),
      confirmation: getConfirmation(query.done),
    });
  }

  @Post('sign-in')
  @UseGuards(CsrfGuard(AccountSignInForm), SignInGuard)
  async signIn(
    @Req() request: SignInRequest,
    @Res() reply: FastifyReply,
    @Body() form: AccountSignInForm,
  ): Promise<void> {
    const returnTo = parseReturnPath(form.return_to);
    const { user } = request;
    if (!user || (await this.sessions.begin(user, request, reply)) === null) {
      return sendSignInPage(reply, { formToken: form.form_token, returnTo, login: form.username, isWrong: true }, 403);
    }
    await redirect(reply, returnTo);
  }

  @Post('sign-out')
  @UseGuards(CsrfGuard(ButtonForm))
  async signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.sessions.end(request);
    await redirect(reply, '/account/sign-in?done=signed-out');
  }

  @Post('sign-out-everywhere')
  @UseGuards(SessionGuard, CsrfGuard(ButtonForm))
  async signOutEverywhere(@CurrentUser() user: SignedInUser, @Res() reply: FastifyReply): Promise<void> {
    await this.sessions.endAll(user.userId);
    this.security.write('sessions_ended', { userId: user.userId });
    await redirect(reply, '/account/sign-in?done=signed-out');
  }
}

async function sendSignInPage(reply: FastifyReply, page: SignInPageOptions, status = 200): Promise<void> {
  const signUpPath = withReturnTo('/account/sign-up', page.returnTo);
  const html = renderAccountSignIn({ signUpPath, login: '', isWrong: false, confirmation: null, ...page });
  await sendPage(reply, html, { status });
}
