import { Body, Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { parseEmailOnFile } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { leadTo, sendPage } from '../pages/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { findPasswordFault } from '../sign-in/password-rules.js';
import { SessionCookie, deriveFormToken } from '../sign-in/session-cookie.js';
import { renderCode } from '../sign-up/sign-up.pages.js';
import { NewPasswordForm, ResetForm } from './account.forms.js';
import { renderReset } from './door.pages.js';
import { Resets } from './resets.js';

/** A new password for somebody who forgot theirs. */
@Controller('account/reset')
export class ResetController {
  constructor(
    private readonly resets: Resets,
    private readonly cookie: SessionCookie,
  ) {}

  @Get()
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const formToken = deriveFormToken(this.cookie.readOrSet(request, reply));
    await sendPage(reply, renderReset({ formToken, typed: '', fault: null }));
  }

  @Post()
  @UseGuards(CsrfGuard(ResetForm))
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() form: ResetForm): Promise<void> {
    const email = parseEmailOnFile(form.email);
    if (email === null) {
      const fault = 'This is no e-mail address. It looks like name@example.com.';
      return sendPage(reply, renderReset({ formToken: form.form_token, typed: form.email, fault }), { status: 400 });
    }
    await this.resets.begin(email, { browserId: this.cookie.readOrSet(request, reply), callerIp: request.ip });
    await leadTo(reply, '/account/reset/code');
  }

  @Get('code')
  async codePage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await show(reply, deriveFormToken(this.cookie.readOrSet(request, reply)));
  }

  @Post('code')
  @UseGuards(CsrfGuard(NewPasswordForm))
  async complete(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body() form: NewPasswordForm,
  ): Promise<void> {
    const fault = findPasswordFault(form.password);
    if (fault !== null) return show(reply, form.form_token, { fault });
    const browserId = this.cookie.readOrSet(request, reply);
    const outcome = await this.resets.complete(browserId, form.code, form.password);
    if (outcome.kind === 'wrong-code') return show(reply, form.form_token, { isWrong: true });
    if (outcome.kind === 'bad-password') return show(reply, form.form_token, { fault: outcome.fault });
    await leadTo(reply, '/account/sign-in?done=reset');
  }
}

async function show(
  reply: FastifyReply,
  formToken: string,
  { fault = null, isWrong = false }: { fault?: string | null; isWrong?: boolean } = {},
): Promise<void> {
  const html = renderCode({
    title: 'Choose a new password',
    formToken,
    to: null,
    action: '/account/reset/code',
    isWrong,
    password: { fault },
    elsewhere: { path: '/account/reset', words: 'Send a new code' },
  });
  await sendPage(reply, html, { status: isWrong || fault !== null ? 400 : 200 });
}
