import { Body, Controller, Get, Query } from '@nestjs/common';
import { AddressVerification } from '../addresses/address-verification.js';
import { ButtonForm, type FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { ACCOUNT_HOME, parseReturnPath, withReturnTo } from '../pages/return-path.js';
import { CurrentBrowser, CurrentExchange, type Browser } from '../sign-in/exchange.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { Passwords } from '../sign-in/passwords.js';
import type { Exchange } from '../sign-in/session-cookie.js';
import { Sessions } from '../sign-in/sessions.js';
import { SignUpForm, findSignUpFaults } from './sign-up-rules.js';
import { CodeForm, codePage, renderSignUp, type SignUpPage } from './sign-up.pages.js';
import { SignUps, type SignUpOutcome } from './sign-ups.js';

const TAKEN = {
  'username-taken': { username: 'Another user already has this username. Choose a different one.' },
  'email-taken': { email: 'This address already has an account. Sign in instead.' },
};

/** Creates accounts: requests the user's details, then the code that was sent to the e-mail address. */
@Controller('account/sign-up')
export class SignUpController {
  constructor(
    private readonly signUps: SignUps,
    private readonly verification: AddressVerification,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
  ) {}

  @Get()
  page(@CurrentBrowser() { formToken }: Browser, @Query('return_to') returnTo: unknown): PageResponse {
    return signUpPage({ formToken, returnTo: parseReturnPath(returnTo) });
  }

  @PostForm('', SignUpForm)
  async begin(@CurrentBrowser() browser: Browser, @Body() form: FormOf<typeof SignUpForm>): Promise<PageResponse> {
    const returnTo = parseReturnPath(form.return_to);
    const faults = findSignUpFaults(form);
    if (faults.username === undefined && (await this.signUps.isUsernameTaken(form.username))) {
      Object.assign(faults, TAKEN['username-taken']);
    }
    if (Object.keys(faults).length > 0) {
      return signUpPage({ formToken: browser.formToken, returnTo, typed: form, faults }, 400);
    }
    const hashPassword = () => this.passwords.hash(form.password);
    await this.signUps.begin(browser, { ...form, hashPassword }, returnTo);
    return redirect('/account/sign-up/code');
  }

  @Get('code')
  codePage(@CurrentBrowser() browser: Browser): Promise<PageResponse> {
    return this.#codePage(browser, false);
  }

  @PostForm('code', CodeForm)
  async complete(
    @CurrentBrowser() browser: Browser,
    @CurrentExchange() exchange: Exchange,
    @Body() form: FormOf<typeof CodeForm>,
  ): Promise<PageResponse> {
    const outcome = await this.signUps.complete(browser.browserId, form.code);
    if (outcome === null) return this.#codePage(browser, true);
    if (outcome.kind === 'done') return this.#signIn(exchange, outcome);
    const { formToken } = browser;
    return signUpPage({ formToken, returnTo: ACCOUNT_HOME, faults: TAKEN[outcome.kind] }, 409);
  }

  @PostForm('code/again', ButtonForm)
  async resend(@CurrentBrowser() browser: Browser): Promise<PageResponse> {
    const signUp = await this.signUps.findPending(browser.browserId);
    if (signUp === null) return redirect('/account/sign-up');
    await this.signUps.resendCode(signUp, browser);
    return redirect('/account/sign-up/code');
  }

  /** Signs the new user in and continues with verifying the phone number, if there is one. */
  async #signIn(
    exchange: Exchange,
    { phone, returnTo, ...credential }: Extract<SignUpOutcome, { kind: 'done' }>,
  ): Promise<PageResponse> {
    const sessionId = await this.sessions.begin(credential, exchange);
    if (phone === null || sessionId === null) return redirect(returnTo);
    const { userId } = credential;
    const claim = { kind: 'phone', address: phone, sessionId, userId, callerIp: exchange.request.ip } as const;
    const hasSentCode = await this.verification.trySendCode(claim);
    return redirect(hasSentCode ? withReturnTo('/account/addresses/phone/code', returnTo) : returnTo);
  }

  async #codePage({ browserId, formToken }: Browser, isWrong: boolean): Promise<PageResponse> {
    const signUp = await this.signUps.findPending(browserId);
    if (signUp === null) return redirect('/account/sign-up');
    return codePage({
      ...{ title: 'Verify your e-mail address', formToken, to: signUp.email, isWrong },
      action: '/account/sign-up/code',
      elsewhere: { path: withReturnTo('/account/sign-up', signUp.returnTo), words: 'change the address' },
    });
  }
}

function signUpPage(content: Omit<SignUpPage, 'signInPath'>, status = 200): PageResponse {
  const { returnTo } = content;
  // The authorization page has a sign-in form of its own.
  const signInPath = returnTo.startsWith('/v1/') ? returnTo : withReturnTo('/account/sign-in', returnTo);
  return page(renderSignUp({ signInPath, ...content }), { status });
}
