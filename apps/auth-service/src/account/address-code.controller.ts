import { Body, Controller, Get, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { AddressKind } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ACCOUNT_HOME, parseReturnPath, withReturnTo } from '../pages/return-path.js';
import { redirect, sendPage } from '../http/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { ButtonForm, CodeForm } from '../sign-up/sign-up.forms.js';
import { renderCode } from '../sign-up/sign-up.pages.js';
import { parseAddressKind } from './account.forms.js';
import { AddressVerification } from '../addresses/address-verification.js';

const TITLES = { email: 'Verify your e-mail address', phone: 'Verify your phone number' };

/** Accepts the codes that verify addresses. The `return_to` query parameter names the page that follows. */
@Controller('account/addresses/:kind/code')
@UseGuards(SessionGuard)
export class AddressCodeController {
  constructor(private readonly verification: AddressVerification) {}

  @Get()
  async page(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Param('kind') kind: string,
    @Query('return_to') returnTo: unknown,
  ): Promise<void> {
    await this.#sendPage(reply, user, {
      kind: parseAddressKind(kind),
      returnTo: parseReturnPath(returnTo),
      isWrong: false,
    });
  }

  @Post()
  @UseGuards(CsrfGuard(CodeForm))
  async complete(
    @CurrentUser() user: SignedInUser,
    @Req() request: FastifyRequest<{ Querystring: { return_to?: unknown } }>,
    @Res() reply: FastifyReply,
    @Body() form: CodeForm,
  ): Promise<void> {
    const { kind } = request.params as { kind: string };
    const returnTo = parseReturnPath(request.query.return_to);
    const account = await this.verification.complete(parseAddressKind(kind), user, form.code);
    if (account === null) return this.#sendPage(reply, user, { kind: parseAddressKind(kind), returnTo, isWrong: true });
    await redirect(reply, returnTo === ACCOUNT_HOME ? '/account?done=proven' : returnTo);
  }

  @Post('again')
  @UseGuards(CsrfGuard(ButtonForm))
  async resendCode(
    @CurrentUser() user: SignedInUser,
    @Req() request: FastifyRequest<{ Querystring: { return_to?: unknown } }>,
    @Res() reply: FastifyReply,
    @Param('kind') kindText: string,
  ): Promise<void> {
    const kind = parseAddressKind(kindText);
    const address = await this.verification.findPendingAddress(kind, user.sessionId);
    const returnTo = parseReturnPath(request.query.return_to);
    if (address === null) return redirect(reply, ACCOUNT_HOME);
    const { sessionId, userId } = user;
    await this.verification.sendCode({ kind, address, sessionId, userId, callerIp: request.ip });
    await redirect(reply, withReturnTo(`/account/addresses/${kind}/code`, returnTo));
  }

  async #sendPage(
    reply: FastifyReply,
    { sessionId }: SignedInUser,
    { kind, returnTo, isWrong }: { kind: AddressKind; returnTo: string; isWrong: boolean },
  ): Promise<void> {
    const address = await this.verification.findPendingAddress(kind, sessionId);
    if (address === null) return redirect(reply, returnTo);
    const html = renderCode({
      title: TITLES[kind],
      formToken: deriveFormToken(sessionId),
      to: address,
      action: `/account/addresses/${kind}/code`,
      returnTo,
      isWrong,
      elsewhere: { path: returnTo, words: 'continue without it' },
    });
    await sendPage(reply, html, { status: isWrong ? 400 : 200 });
  }
}
