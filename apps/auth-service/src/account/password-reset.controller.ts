import { Body, Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { parseEmailOnFile } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { redirect, sendPage } from '../http/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { findPasswordFault } from '../sign-in/password-rules.js';
import { SessionCookie, deriveFormToken } from '../sign-in/session-cookie.js';
import { renderCode } from '../sign-up/sign-up.pages.js';
import { NewPasswordForm, PasswordResetForm } from './account.forms.js';
import { renderPasswordReset } from './session.pages.js';
import { PasswordResets } from './password-resets.js';

/** Resets forgotten passwords by e-mail code. */
@Controller('account/reset')
export class PasswordResetController {
  constructor(
    private readonly resets: PasswordResets,
    private readonly cookie: SessionCookie,
  ) {}

  @Get()
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const formToken = deriveFormToken(this.cookie.readOrSet(request, reply));
    await sendPage(reply, renderPasswordReset({ formToken, typed: '', fault: null }));
  }

  @Post()
  @UseGuards(CsrfGuard(PasswordResetForm))
  async sendCode(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body() form: PasswordResetForm,
  ): Promise<void> {
    const email = parseEmailOnFile(form.email);
    if (email === null) {
      const fault = 'This is not a valid e-mail address. Use the form name@example.com.';
      return sendPage(reply, renderPasswordReset({ formToken: form.form_token, typed: form.email, fault }), {
        status: 400,
      });
    }
    await this.resets.sendCode(email, { browserId: this.cookie.readOrSet(request, reply), callerIp: request.ip });
    await redirect(reply, '/account/reset/code');
  }

  @Get('code')
  async codePage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendCodePage(reply, deriveFormToken(this.cookie.readOrSet(request, reply)));
  }

  @Post('code')
  @UseGuards(CsrfGuard(NewPasswordForm))
  async complete(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body() form: NewPasswordForm,
  ): Promise<void> {
    const fault = findPasswordFault(form.password);
    if (fault !== null) return sendCodePage(reply, form.form_token, { fault });
    const browserId = this.cookie.readOrSet(request, reply);
    const outcome = await this.resets.complete(browserId, form.code, form.password);
    if (outcome.kind === 'wrong-code') return sendCodePage(reply, form.form_token, { isWrong: true });
    if (outcome.kind === 'bad-password') return sendCodePage(reply, form.form_token, { fault: outcome.fault });
    await redirect(reply, '/account/sign-in?done=reset');
  }
}

async function sendCodePage(
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
