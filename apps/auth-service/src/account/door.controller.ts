import { Body, Controller, Get, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { SecurityLog } from '@settle/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownPath, withReturnTo } from '../pages/own-path.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { SessionCookie, deriveFormToken } from '../sign-in/session-cookie.js';
import { Sessions, type SignedInUser } from '../sign-in/sessions.js';
import { SignInGuard } from '../sign-in/sign-in.strategy.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { ButtonForm } from '../sign-up/sign-up.forms.js';
import type { Credential } from '../tables/credential.entity.js';
import { SignInAgainForm } from './account.forms.js';
import { renderAccountSignIn, type AccountSignInPage } from './door.pages.js';
import { doneWords } from './done.js';

/** Set by `SignInGuard`. */
type WithUser = FastifyRequest & { readonly user: Credential | null };
type Showing = Pick<AccountSignInPage, 'formToken' | 'returnTo'> & Partial<AccountSignInPage>;

/** In and out of one's own account. */
@Controller('account')
export class DoorController {
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
    await show(reply, { formToken, returnTo: ownPath(query.return_to), done: doneWords(query.done) });
  }

  @Post('sign-in')
  @UseGuards(CsrfGuard(SignInAgainForm), SignInGuard)
  async signIn(@Req() request: WithUser, @Res() reply: FastifyReply, @Body() form: SignInAgainForm): Promise<void> {
    const returnTo = ownPath(form.return_to);
    const { user } = request;
    if (!user || (await this.sessions.begin(user, request, reply)) === null) {
      return show(reply, { formToken: form.form_token, returnTo, login: form.username, isWrong: true }, 403);
    }
    await leadTo(reply, returnTo);
  }

  @Post('sign-out')
  @UseGuards(CsrfGuard(ButtonForm))
  async signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.sessions.end(request);
    await leadTo(reply, '/account/sign-in?done=signed-out');
  }

  @Post('sign-out-everywhere')
  @UseGuards(SessionGuard, CsrfGuard(ButtonForm))
  async signOutEverywhere(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply): Promise<void> {
    await this.sessions.endAll(me.userId);
    this.security.write('sessions_ended', { userId: me.userId });
    await leadTo(reply, '/account/sign-in?done=signed-out');
  }
}

async function show(reply: FastifyReply, page: Showing, status = 200): Promise<void> {
  const signUpPath = withReturnTo('/account/sign-up', page.returnTo);
  const html = renderAccountSignIn({ signUpPath, login: '', isWrong: false, done: null, ...page });
  await sendPage(reply, html, { status });
}
