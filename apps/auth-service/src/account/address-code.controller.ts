import { Body, Controller, Get, Ip, Param, Post, Query, UseGuards } from '@nestjs/common';
import type { AddressKind } from '@settle/contracts';
import { AddressVerification } from '../addresses/address-verification.js';
import { ButtonForm, type FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { ACCOUNT_HOME, parseReturnPath, withReturnTo } from '../pages/return-path.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CodeForm } from '../sign-up/sign-up.forms.js';
import { renderCode } from '../sign-up/sign-up.pages.js';
import { parseAddressKind } from './account.forms.js';

const TITLES = { email: 'Verify your e-mail address', phone: 'Verify your phone number' };

/** Accepts the codes that verify addresses. The `return_to` query parameter names the page that follows. */
@Controller('account/addresses/:kind/code')
@UseGuards(SessionGuard)
export class AddressCodeController {
  constructor(private readonly verification: AddressVerification) {}

  @Get()
  page(
    @CurrentUser() user: SignedInUser,
    @Param('kind') kind: string,
    @Query('return_to') returnTo: unknown,
  ): Promise<PageResponse> {
    return this.#page(user, parseAddressKind(kind), parseReturnPath(returnTo), false);
  }

  @Post()
  @UseGuards(CsrfGuard(CodeForm))
  async complete(
    @CurrentUser() user: SignedInUser,
    @Param('kind') kindText: string,
    @Query('return_to') returnPath: unknown,
    @Body() form: FormOf<typeof CodeForm>,
  ): Promise<PageResponse> {
    const [kind, returnTo] = [parseAddressKind(kindText), parseReturnPath(returnPath)];
    const account = await this.verification.complete(kind, user, form.code);
    if (account === null) return this.#page(user, kind, returnTo, true);
    return redirect(returnTo === ACCOUNT_HOME ? '/account?done=proven' : returnTo);
  }

  @Post('again')
  @UseGuards(CsrfGuard(ButtonForm))
  async resendCode(
    @CurrentUser() { sessionId, userId }: SignedInUser,
    @Param('kind') kindText: string,
    @Query('return_to') returnTo: unknown,
    @Ip() callerIp: string,
  ): Promise<PageResponse> {
    const kind = parseAddressKind(kindText);
    const address = await this.verification.findPendingAddress(kind, sessionId);
    if (address === null) return redirect(ACCOUNT_HOME);
    await this.verification.sendCode({ kind, address, sessionId, userId, callerIp });
    return redirect(withReturnTo(`/account/addresses/${kind}/code`, parseReturnPath(returnTo)));
  }

  async #page(
    { sessionId, formToken }: SignedInUser,
    kind: AddressKind,
    returnTo: string,
    isWrong: boolean,
  ): Promise<PageResponse> {
    const address = await this.verification.findPendingAddress(kind, sessionId);
    if (address === null) return redirect(returnTo);
    const html = renderCode({
      ...{ title: TITLES[kind], formToken, to: address, returnTo, isWrong },
      action: `/account/addresses/${kind}/code`,
      elsewhere: { path: returnTo, words: 'continue without it' },
    });
    return page(html, { status: isWrong ? 400 : 200 });
  }
}
