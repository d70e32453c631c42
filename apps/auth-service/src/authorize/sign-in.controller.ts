import { Body, Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { buildOauthPaths } from '../oauth/oauth-paths.js';
import { AuthorizationRequestReader } from './authorization-request-reader.js';
import { extractQuery } from '../http/query-parameters.js';
import { renderSignIn } from '../pages/pages.js';
import { redirect, sendPage } from '../http/send-page.js';
import type { Credential } from '../tables/credential.entity.js';
import { SignInForm, SignOutForm } from './forms.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { Sessions } from '../sign-in/sessions.js';
import { SignInGuard } from '../sign-in/sign-in.strategy.js';

/** Set by `SignInGuard`. */
type SignInRequest = FastifyRequest & { readonly user: Credential | null };

/** Signs users in and out during an authorization request, which the query carries. */
@Controller(buildOauthPaths())
export class SignInController {
  constructor(
    private readonly requests: AuthorizationRequestReader,
    private readonly sessions: Sessions,
  ) {}

  @Post('sign-in')
  @UseGuards(CsrfGuard(SignInForm), SignInGuard)
  async signIn(@Req() request: SignInRequest, @Res() reply: FastifyReply, @Body() form: SignInForm): Promise<void> {
    const { appName, query, redirectUri } = await this.requests.read(extractQuery(request.url));
    const { user } = request;
    if (!user || (await this.sessions.begin(user, request, reply)) === null) {
      const formToken = form.form_token;
      const html = renderSignIn({ appName, query, formToken, login: form.username, isWrong: true });
      return sendPage(reply, html, { status: 403, formRedirectsTo: redirectUri });
    }
    await redirect(reply, `/v1/oauth/authorize?${query}`);
  }

  @Post('sign-out')
  @UseGuards(CsrfGuard(SignOutForm))
  async signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { query } = await this.requests.read(extractQuery(request.url));
    await this.sessions.end(request);
    await redirect(reply, `/v1/oauth/authorize?${query}`);
  }
}
