import { Body, Controller, Get, Ip, Post, Query, UseGuards } from '@nestjs/common';
import { AddressVerification } from '../addresses/address-verification.js';
import { ButtonForm, type FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { parseReturnPath, withReturnTo } from '../pages/return-path.js';
import { BrowserId, CurrentExchange } from '../sign-in/exchange.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { Passwords } from '../sign-in/passwords.js';
import { deriveFormToken, type Exchange } from '../sign-in/session-cookie.js';
import { Sessions } from '../sign-in/sessions.js';
import { findSignUpFaults } from './sign-up-rules.js';
import { CodeForm, SignUpForm } from './sign-up.forms.js';
import { renderCode, renderSignUp, type SignUpPage } from './sign-up.pages.js';
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
  page(@BrowserId() browserId: string, @Query('return_to') returnTo: unknown): PageResponse {
    return signUpPage(deriveFormToken(browserId), parseReturnPath(returnTo), {});
  }

  @Post()
  @UseGuards(CsrfGuard(SignUpForm))
  async begin(
    @BrowserId() browserId: string,
    @Ip() callerIp: string,
    @Body() form: FormOf<typeof SignUpForm>,
  ): Promise<PageResponse> {
    const returnTo = parseReturnPath(form.return_to);
    const faults = findSignUpFaults(form);
    if (faults.username === undefined && (await this.signUps.isUsernameTaken(form.username))) {
      Object.assign(faults, TAKEN['username-taken']);
    }
    if (Object.keys(faults).length > 0) return signUpPage(form.form_token, returnTo, { typed: form, faults }, 400);
    const hashPassword = () => this.passwords.hash(form.password);
    await this.signUps.begin({ browserId, callerIp }, { ...form, hashPassword }, returnTo);
    return redirect('/account/sign-up/code');
  }

  @Get('code')
  codePage(@BrowserId() browserId: string): Promise<PageResponse> {
    return this.#codePage(browserId, false);
  }

  @Post('code')
  @UseGuards(CsrfGuard(CodeForm))
  async complete(
    @BrowserId() browserId: string,
    @CurrentExchange() exchange: Exchange,
    @Body() form: FormOf<typeof CodeForm>,
  ): Promise<PageResponse> {
    const outcome = await this.signUps.complete(browserId, form.code);
    if (outcome === null) return this.#codePage(browserId, true);
    if (outcome.kind === 'done') return this.#signIn(exchange, outcome);
    return signUpPage(form.form_token, parseReturnPath(null), { faults: TAKEN[outcome.kind] }, 409);
  }

  @Post('code/again')
  @UseGuards(CsrfGuard(ButtonForm))
  async resend(@BrowserId() browserId: string, @Ip() callerIp: string): Promise<PageResponse> {
    const signUp = await this.signUps.findPending(browserId);
    if (signUp === null) return redirect('/account/sign-up');
    await this.signUps.resendCode(signUp, { browserId, callerIp });
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

  async #codePage(browserId: string, isWrong: boolean): Promise<PageResponse> {
    const signUp = await this.signUps.findPending(browserId);
    if (signUp === null) return redirect('/account/sign-up');
    const html = renderCode({
      title: 'Verify your e-mail address',
      formToken: deriveFormToken(browserId),
      to: signUp.email,
      action: '/account/sign-up/code',
      isWrong,
      elsewhere: { path: withReturnTo('/account/sign-up', signUp.returnTo), words: 'change the address' },
    });
    return page(html, { status: isWrong ? 400 : 200 });
  }
}

function signUpPage(
  formToken: string,
  returnTo: string,
  content: Partial<Pick<SignUpPage, 'typed' | 'faults'>>,
  status = 200,
): PageResponse {
  // The authorization page has a sign-in form of its own.
  const signInPath = returnTo.startsWith('/v1/') ? returnTo : withReturnTo('/account/sign-in', returnTo);
  return page(renderSignUp({ formToken, returnTo, signInPath, typed: {}, faults: {}, ...content }), { status });
}
