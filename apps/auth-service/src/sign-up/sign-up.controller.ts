import { Body, Controller, Get, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AddressVerification } from '../addresses/address-verification.js';
import { parseReturnPath, withReturnTo } from '../pages/return-path.js';
import { redirect, sendPage } from '../http/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { Passwords } from '../sign-in/passwords.js';
import { SessionCookie, deriveFormToken } from '../sign-in/session-cookie.js';
import { Sessions } from '../sign-in/sessions.js';
import { ButtonForm, CodeForm, SignUpForm } from './sign-up.forms.js';
import { renderCode, renderSignUp, type SignUpPage } from './sign-up.pages.js';
import { findSignUpFaults } from './sign-up-rules.js';
import { SignUps, type SignUpOutcome } from './sign-ups.js';

const TAKEN = {
  'username-taken': { username: 'Another user already has this username. Choose a different one.' },
  'email-taken': { email: 'This address already has an account. Sign in instead.' },
};

type SignUpPageInput = Pick<SignUpPage, 'formToken' | 'returnTo'> & Partial<SignUpPage>;

/** Creates accounts: asks for the user's details, then for the code that was sent to the e-mail address. */
@Controller('account/sign-up')
export class SignUpController {
  constructor(
    private readonly signUps: SignUps,
    private readonly proofs: AddressVerification,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly cookie: SessionCookie,
  ) {}

  @Get()
  async page(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('return_to') returnTo: unknown,
  ): Promise<void> {
    const formToken = deriveFormToken(this.cookie.readOrSet(request, reply));
    await sendSignUpPage(reply, { formToken, returnTo: parseReturnPath(returnTo) });
  }

  @Post()
  @UseGuards(CsrfGuard(SignUpForm))
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() form: SignUpForm): Promise<void> {
    const returnTo = parseReturnPath(form.return_to);
    const faults = findSignUpFaults(form);
    if (faults.username === undefined && (await this.signUps.isUsernameTaken(form.username))) {
      Object.assign(faults, TAKEN['username-taken']);
    }
    if (Object.keys(faults).length > 0) {
      return sendSignUpPage(reply, { formToken: form.form_token, returnTo, typed: form, faults }, 400);
    }
    const origin = { browserId: this.cookie.readOrSet(request, reply), callerIp: request.ip };
    const hashPassword = () => this.passwords.hash(form.password);
    await this.signUps.begin(origin, { ...form, hashPassword }, returnTo);
    await redirect(reply, '/account/sign-up/code');
  }

  @Get('code')
  async codePage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#sendCodePage(request, reply, false);
  }

  @Post('code')
  @UseGuards(CsrfGuard(CodeForm))
  async complete(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() form: CodeForm): Promise<void> {
    const outcome = await this.signUps.complete(this.cookie.readOrSet(request, reply), form.code);
    if (outcome === null) return this.#sendCodePage(request, reply, true);
    if (outcome.kind === 'done') return this.#signIn(request, reply, outcome);
    await sendSignUpPage(
      reply,
      { formToken: form.form_token, returnTo: parseReturnPath(null), faults: TAKEN[outcome.kind] },
      409,
    );
  }

  @Post('code/again')
  @UseGuards(CsrfGuard(ButtonForm))
  async resend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const browserId = this.cookie.readOrSet(request, reply);
    const signUp = await this.signUps.findPending(browserId);
    if (signUp === null) return redirect(reply, '/account/sign-up');
    await this.signUps.resendCode(signUp, { browserId, callerIp: request.ip });
    await redirect(reply, '/account/sign-up/code');
  }

  /** Signs the new user in and continues with verifying the phone number, if there is one. */
  async #signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    { phone, returnTo, ...credential }: Extract<SignUpOutcome, { kind: 'done' }>,
  ): Promise<void> {
    const sessionId = await this.sessions.begin(credential, request, reply);
    if (phone === null || sessionId === null) return redirect(reply, returnTo);
    const { userId } = credential;
    const claim = { kind: 'phone', address: phone, sessionId, userId, callerIp: request.ip } as const;
    const hasSentCode = await this.proofs.trySendCode(claim);
    await redirect(reply, hasSentCode ? withReturnTo('/account/addresses/phone/code', returnTo) : returnTo);
  }

  async #sendCodePage(request: FastifyRequest, reply: FastifyReply, isWrong: boolean): Promise<void> {
    const browserId = this.cookie.readOrSet(request, reply);
    const signUp = await this.signUps.findPending(browserId);
    if (signUp === null) return redirect(reply, '/account/sign-up');
    const html = renderCode({
      title: 'Verify your e-mail address',
      formToken: deriveFormToken(browserId),
      to: signUp.email,
      action: '/account/sign-up/code',
      isWrong,
      elsewhere: { path: withReturnTo('/account/sign-up', signUp.returnTo), words: 'change the address' },
    });
    await sendPage(reply, html, { status: isWrong ? 400 : 200 });
  }
}

async function sendSignUpPage(reply: FastifyReply, page: SignUpPageInput, status = 200): Promise<void> {
  const { returnTo } = page;
  // The authorization page has a sign-in form of its own.
  const signInPath = returnTo.startsWith('/v1/') ? returnTo : withReturnTo('/account/sign-in', returnTo);
  await sendPage(reply, renderSignUp({ signInPath, typed: {}, faults: {}, ...page }), { status });
}
