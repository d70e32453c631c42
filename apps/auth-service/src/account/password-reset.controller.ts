import { Body, Controller, Get, Ip, Post, UseGuards } from '@nestjs/common';
import { parseEmailOnFile } from '@settle/contracts';
import type { FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { BrowserId } from '../sign-in/exchange.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { findPasswordFault } from '../sign-in/password-rules.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import { renderCode } from '../sign-up/sign-up.pages.js';
import { NewPasswordForm, PasswordResetForm } from './account.forms.js';
import { renderPasswordReset } from './password-reset.page.js';
import { PasswordResets } from './password-resets.js';

/** Resets forgotten passwords by e-mail code. */
@Controller('account/reset')
export class PasswordResetController {
  constructor(private readonly resets: PasswordResets) {}

  @Get()
  page(@BrowserId() browserId: string): PageResponse {
    return page(renderPasswordReset({ formToken: deriveFormToken(browserId), typed: '', fault: null }));
  }

  @Post()
  @UseGuards(CsrfGuard(PasswordResetForm))
  async sendCode(
    @BrowserId() browserId: string,
    @Ip() callerIp: string,
    @Body() { email: typed, form_token: formToken }: FormOf<typeof PasswordResetForm>,
  ): Promise<PageResponse> {
    const email = parseEmailOnFile(typed);
    if (email === null) {
      const fault = 'This is not a valid e-mail address. Use the form name@example.com.';
      return page(renderPasswordReset({ formToken, typed, fault }), { status: 400 });
    }
    await this.resets.sendCode(email, { browserId, callerIp });
    return redirect('/account/reset/code');
  }

  @Get('code')
  codePage(@BrowserId() browserId: string): PageResponse {
    return codePage(deriveFormToken(browserId));
  }

  @Post('code')
  @UseGuards(CsrfGuard(NewPasswordForm))
  async complete(@BrowserId() browserId: string, @Body() form: FormOf<typeof NewPasswordForm>): Promise<PageResponse> {
    const fault = findPasswordFault(form.password);
    if (fault !== null) return codePage(form.form_token, { fault });
    const outcome = await this.resets.complete(browserId, form.code, form.password);
    if (outcome.kind === 'wrong-code') return codePage(form.form_token, { isWrong: true });
    if (outcome.kind === 'bad-password') return codePage(form.form_token, { fault: outcome.fault });
    return redirect('/account/sign-in?done=reset');
  }
}

function codePage(
  formToken: string,
  { fault = null, isWrong = false }: { fault?: string | null; isWrong?: boolean } = {},
): PageResponse {
  const html = renderCode({
    ...{ title: 'Choose a new password', formToken, to: null, isWrong, password: { fault } },
    action: '/account/reset/code',
    elsewhere: { path: '/account/reset', words: 'Send a new code' },
  });
  return page(html, { status: isWrong || fault !== null ? 400 : 200 });
}
