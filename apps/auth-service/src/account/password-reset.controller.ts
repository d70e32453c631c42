import { Body, Controller, Get } from '@nestjs/common';
import { normalizeEmail, parseEmailOnFile } from '@settle/contracts';
import { DataSource } from 'typeorm';
import { ConnectedApps } from '../connected-apps/connected-apps.js';
import { form, password, text, type FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { pageTemplate } from '../pages/page-template.js';
import { CurrentBrowser, type Browser } from '../sign-in/exchange.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { findPasswordFault } from '../sign-in/password-rules.js';
import { codePage } from '../sign-up/sign-up.pages.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { CodeMessages, spellingOf } from '../verification/code-messages.js';
import { VerificationCodes } from '../verification/verification-codes.js';
import { UserPasswords } from './user-passwords.js';

const PasswordResetForm = form({ email: text(320) });

const NewPasswordForm = form({ code: text(32), password });

/**
 * Resets forgotten passwords with a code that is sent to an e-mail address, never to a phone: phone numbers are
 * reassigned too easily. The response never reveals whether an address has an account.
 */
@Controller('account/reset')
export class PasswordResetController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly codes: VerificationCodes,
    private readonly messages: CodeMessages,
    private readonly passwords: UserPasswords,
    private readonly connectedApps: ConnectedApps,
  ) {}

  @Get()
  page(@CurrentBrowser() { formToken }: Browser): PageResponse {
    return page(renderPasswordReset({ formToken }));
  }

  /** Sends a code to the address in its owner's spelling. */
  @PostForm('', PasswordResetForm)
  async sendCode(
    @CurrentBrowser() { browserId, formToken, callerIp }: Browser,
    @Body() { email: typed }: FormOf<typeof PasswordResetForm>,
  ): Promise<PageResponse> {
    const email = parseEmailOnFile(typed);
    if (email === null) {
      const fault = 'This is not a valid e-mail address. Use the form name@example.com.';
      return page(renderPasswordReset({ formToken, typed, fault }), { status: 400 });
    }
    const recipient = { kind: 'email', to: email, callerIp } as const;
    await this.messages.throttle(recipient);
    const value = normalizeEmail(email);
    const owner = await this.dataSource.getRepository(LoginAddress).findOneBy({ kind: 'email', value });
    const code = await this.codes.issue({ purpose: 'reset', browserId }, owner?.userId ?? '', value);
    // Over the account's quota no code is sent, and the page stays the same, so that it does not reveal who owns an address.
    if (owner !== null && (await this.messages.consumeAccountQuota(owner.userId)))
      this.messages.sendCode({ ...recipient, to: spellingOf(owner) }, 'reset', code);
    return redirect('/account/reset/code');
  }

  @Get('code')
  codePage(@CurrentBrowser() { formToken }: Browser): PageResponse {
    return resetCodePage(formToken);
  }

  /**
   * Sets the new password and disconnects all apps, because an intruder may have authorized some. Throws `rate_limited`
   * when too many passwords are being hashed, and `outcome_unknown` when the reset is stored but gateways have not
   * confirmed the revocations.
   */
  @PostForm('code', NewPasswordForm)
  async complete(
    @CurrentBrowser() { browserId, formToken }: Browser,
    @Body() form: FormOf<typeof NewPasswordForm>,
  ): Promise<PageResponse> {
    const fault = findPasswordFault(form.password);
    if (fault !== null) return resetCodePage(formToken, { fault });
    const code = { purpose: 'reset', browserId } as const;
    const verified = await this.codes.check(code, form.code);
    if (verified === null) return resetCodePage(formToken, { isWrong: true });
    const { subject: userId } = verified;
    // Only after a correct code: the message could reveal the username that belongs to an address.
    const ownFault = await this.passwords.findFault(userId, form.password);
    if (ownFault !== null) return resetCodePage(formToken, { fault: ownFault });
    const passwordHash = await this.passwords.change(userId, form.password, { code });
    if (passwordHash === null) return resetCodePage(formToken, { isWrong: true });
    await this.connectedApps.disconnectAll(userId);
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
