import { Body, Controller, Get, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AddressVerification } from '../account/address-verification.js';
import { parseReturnPath, withReturnTo } from '../pages/return-path.js';
import { redirect, sendPage } from '../pages/send-page.js';
import { OwnForm } from '../sign-in/own-form.guard.js';
import { Passwords } from '../sign-in/passwords.js';
import { SessionCookie, formTokenOf } from '../sign-in/session-cookie.js';
import { Sessions } from '../sign-in/sessions.js';
import { ButtonForm, CodeForm, SignUpForm } from './sign-up.forms.js';
import { renderCode, renderSignUp, type SignUpPage } from './sign-up.pages.js';
import { signUpFaults } from './sign-up-rules.js';
import { SignUps, type SignUpOutcome } from './sign-ups.js';

const TAKEN = {
  'username-taken': { username: 'Somebody else has this username. Take another one.' },
  'email-taken': { email: 'This address has an account by now. Sign in instead.' },
};

type Showing = Pick<SignUpPage, 'formToken' | 'returnTo'> & Partial<SignUpPage>;

/** Makes accounts: asks who somebody is, then for the code that was sent to their e-mail address. */
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
    const formToken = formTokenOf(this.cookie.readOrSet(request, reply));
    await show(reply, { formToken, returnTo: parseReturnPath(returnTo) });
  }

  @Post()
  @UseGuards(OwnForm(SignUpForm))
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() form: SignUpForm): Promise<void> {
    const returnTo = parseReturnPath(form.return_to);
    const faults = signUpFaults(form);
    if (faults.username === undefined && (await this.signUps.isUsernameTaken(form.username))) {
      Object.assign(faults, TAKEN['username-taken']);
    }
    if (Object.keys(faults).length > 0) {
      return show(reply, { formToken: form.form_token, returnTo, typed: form, faults }, 400);
    }
    const place = { browserId: this.cookie.readOrSet(request, reply), askedFrom: request.ip };
    const hashPassword = () => this.passwords.hash(form.password);
    await this.signUps.begin(place, { ...form, hashPassword }, returnTo);
    await redirect(reply, '/account/sign-up/code');
  }

  @Get('code')
  async codePage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#showCode(request, reply, false);
  }

  @Post('code')
  @UseGuards(OwnForm(CodeForm))
  async complete(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() form: CodeForm): Promise<void> {
    const outcome = await this.signUps.complete(this.cookie.readOrSet(request, reply), form.code);
    if (outcome === null) return this.#showCode(request, reply, true);
    if (outcome.kind === 'done') return this.#goOn(request, reply, outcome);
    await show(
      reply,
      { formToken: form.form_token, returnTo: parseReturnPath(null), faults: TAKEN[outcome.kind] },
      409,
    );
  }

  @Post('code/again')
  @UseGuards(OwnForm(ButtonForm))
  async again(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const browserId = this.cookie.readOrSet(request, reply);
    const signUp = await this.signUps.waiting(browserId);
    if (signUp === null) return redirect(reply, '/account/sign-up');
    await this.signUps.writeAgain(signUp, { browserId, askedFrom: request.ip });
    await redirect(reply, '/account/sign-up/code');
  }

  async #goOn(
    request: FastifyRequest,
    reply: FastifyReply,
    { phone, returnTo, ...credential }: Extract<SignUpOutcome, { kind: 'done' }>,
  ): Promise<void> {
    const sessionId = await this.sessions.begin(credential, request, reply);
    if (phone === null || sessionId === null) return redirect(reply, returnTo);
    const { userId } = credential;
    const claim = { kind: 'phone', address: phone, sessionId, userId, askedFrom: request.ip } as const;
    const asks = await this.proofs.trySendCode(claim);
    await redirect(reply, asks ? withReturnTo('/account/addresses/phone/code', returnTo) : returnTo);
  }

  async #showCode(request: FastifyRequest, reply: FastifyReply, isWrong: boolean): Promise<void> {
    const browserId = this.cookie.readOrSet(request, reply);
    const signUp = await this.signUps.waiting(browserId);
    if (signUp === null) return redirect(reply, '/account/sign-up');
    const html = renderCode({
      title: 'Prove your e-mail address',
      formToken: formTokenOf(browserId),
      to: signUp.email,
      action: '/account/sign-up/code',
      isWrong,
      elsewhere: { path: withReturnTo('/account/sign-up', signUp.returnTo), words: 'change the address' },
    });
    await sendPage(reply, html, { status: isWrong ? 400 : 200 });
  }
}

async function show(reply: FastifyReply, page: Showing, status = 200): Promise<void> {
  const { returnTo } = page;
  // The page of an app's request signs people in itself.
  const signInPath = returnTo.startsWith('/v1/') ? returnTo : withReturnTo('/account/sign-in', returnTo);
  await sendPage(reply, renderSignUp({ signInPath, typed: {}, faults: {}, ...page }), { status });
}
