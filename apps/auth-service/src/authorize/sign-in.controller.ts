import { Body, Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { buildOauthPaths } from '../oauth/oauth-paths.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { queryOf } from './query-parameters.js';
import { renderSignIn } from '../pages/pages.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import type { Credential } from '../tables/credential.entity.js';
import { SignInForm, SignOutForm } from './forms.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { Sessions } from '../sign-in/sessions.js';
import { SignInGuard } from '../sign-in/sign-in.strategy.js';

/** Set by `SignInGuard`. */
type WithUser = FastifyRequest & { readonly user: Credential | null };

/** Signs people in and out, on the way of an authorization request, which stands in the query. */
@Controller(buildOauthPaths())
export class SignInController {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly sessions: Sessions,
  ) {}

  @Post('sign-in')
  @UseGuards(CsrfGuard(SignInForm), SignInGuard)
  async signIn(@Req() request: WithUser, @Res() reply: FastifyReply, @Body() form: SignInForm): Promise<void> {
    const { appName, query, redirectUri } = await this.requests.read(queryOf(request.url));
    const { user } = request;
    if (!user || (await this.sessions.begin(user, request, reply)) === null) {
      const formToken = form.form_token;
      const html = renderSignIn({ appName, query, formToken, login: form.username, isWrong: true });
      return sendPage(reply, html, { status: 403, formLeadsTo: redirectUri });
    }
    await leadTo(reply, `/v1/oauth/authorize?${query}`);
  }

  @Post('sign-out')
  @UseGuards(CsrfGuard(SignOutForm))
  async signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { query } = await this.requests.read(queryOf(request.url));
    await this.sessions.end(request);
    await leadTo(reply, `/v1/oauth/authorize?${query}`);
  }
}
