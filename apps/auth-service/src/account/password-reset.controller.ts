import { Body, Controller, Get } from '@nestjs/common';
import { parseEmailOnFile } from '@settle/contracts';
import { form, password, text, type FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { pageTemplate } from '../pages/page-template.js';
import { CurrentBrowser, type Browser } from '../sign-in/exchange.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { findPasswordFault } from '../sign-in/password-rules.js';
import { codePage } from '../sign-up/sign-up.pages.js';
import { PasswordResets } from './password-resets.js';

const PasswordResetForm = form({ email: text(320) });

const NewPasswordForm = form({ code: text(32), password });

/** Resets forgotten passwords by e-mail code. */
@Controller('account/reset')
export class PasswordResetController {
  constructor(private readonly resets: PasswordResets) {}

  @Get()
  page(@CurrentBrowser() { formToken }: Browser): PageResponse {
    return page(renderPasswordReset({ formToken }));
  }

  @PostForm('', PasswordResetForm)
  async sendCode(
    @CurrentBrowser() browser: Browser,
    @Body() { email: typed }: FormOf<typeof PasswordResetForm>,
  ): Promise<PageResponse> {
    const email = parseEmailOnFile(typed);
    if (email === null) {
      const fault = 'This is not a valid e-mail address. Use the form name@example.com.';
      return page(renderPasswordReset({ formToken: browser.formToken, typed, fault }), { status: 400 });
    }
    await this.resets.sendCode(email, browser);
    return redirect('/account/reset/code');
  }

  @Get('code')
  codePage(@CurrentBrowser() { formToken }: Browser): PageResponse {
    return resetCodePage(formToken);
  }

  @PostForm('code', NewPasswordForm)
  async complete(
    @CurrentBrowser() { browserId, formToken }: Browser,
    @Body() form: FormOf<typeof NewPasswordForm>,
  ): Promise<PageResponse> {
    const fault = findPasswordFault(form.password);
    if (fault !== null) return resetCodePage(formToken, { fault });
    const outcome = await this.resets.complete(browserId, form.code, form.password);
    if (outcome === null) return resetCodePage(formToken, { isWrong: true });
    if (outcome.fault !== null) return resetCodePage(formToken, { fault: outcome.fault });
    return redirect('/account/sign-in?done=reset');
  }
}

function resetCodePage(formToken: string, { fault, isWrong = false }: { fault?: string; isWrong?: boolean } = {}) {
  return codePage({
    ...{ title: 'Choose a new password', formToken, to: null, isWrong, password: { fault } },
    action: '/account/reset/code',
    elsewhere: { path: '/account/reset', words: 'Send a new code' },
  });
}

const renderPasswordReset = pageTemplate<{
  formToken: string;
  typed?: string;
  fault?: string;
}>(`<% layout('@layout', { title: 'Choose a new password' }) %>
<h1>Choose a new password</h1>
<p>Enter a verified e-mail address of your account. If an account has this address, we send a code to it.</p>
<form method="post" action="/account/reset">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<%~ include('@field', { label: 'E-mail', name: 'email', type: 'email', value: it.typed, error: it.fault, autocomplete: 'email', maxlength: 254 }) %>
<button>Send a code</button>
</form>
<p class="after soft"><a href="/account/sign-in">Back to sign-in</a></p>
`);
