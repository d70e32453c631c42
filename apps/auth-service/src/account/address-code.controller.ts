import { Body, Controller, Get, Ip, Param, Query, UseGuards } from '@nestjs/common';
import { SettleError, type AddressKind } from '@settle/contracts';
import { AddressVerification } from '../addresses/address-verification.js';
import { ButtonForm, type FormOf } from '../http/form.js';
import { redirect, type PageResponse } from '../http/page-response.js';
import { ACCOUNT_HOME, parseReturnPath, withReturnTo } from '../pages/return-path.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CodeForm, codePage } from '../sign-up/sign-up.pages.js';

const TITLES = { email: 'Verify your e-mail address', phone: 'Verify your phone number' };

const KIND = { transform: parseAddressKind };
const RETURN_PATH = { transform: parseReturnPath };

/** Accepts the codes that verify addresses. The `return_to` query parameter names the page that follows. */
@Controller('account/addresses/:kind/code')
@UseGuards(SessionGuard)
export class AddressCodeController {
  constructor(private readonly verification: AddressVerification) {}

  @Get()
  page(
    @CurrentUser() user: SignedInUser,
    @Param('kind', KIND) kind: AddressKind,
    @Query('return_to', RETURN_PATH) returnTo: string,
  ): Promise<PageResponse> {
    return this.#page(user, kind, returnTo, false);
  }

  @PostForm('', CodeForm)
  async complete(
    @CurrentUser() user: SignedInUser,
    @Param('kind', KIND) kind: AddressKind,
    @Query('return_to', RETURN_PATH) returnTo: string,
    @Body() form: FormOf<typeof CodeForm>,
  ): Promise<PageResponse> {
    const isVerified = await this.verification.complete(kind, user, form.code);
    if (!isVerified) return this.#page(user, kind, returnTo, true);
    return redirect(returnTo === ACCOUNT_HOME ? '/account?done=proven' : returnTo);
  }

  @PostForm('again', ButtonForm)
  async resendCode(
    @CurrentUser() { sessionId, userId }: SignedInUser,
    @Param('kind', KIND) kind: AddressKind,
    @Query('return_to', RETURN_PATH) returnTo: string,
    @Ip() callerIp: string,
  ): Promise<PageResponse> {
    const address = await this.verification.findPendingAddress(kind, sessionId);
    if (address === null) return redirect(ACCOUNT_HOME);
    await this.verification.sendCode({ kind, to: address, sessionId, userId, callerIp });
    return redirect(withReturnTo(`/account/addresses/${kind}/code`, returnTo));
  }

  async #page({ sessionId, formToken }: SignedInUser, kind: AddressKind, returnTo: string, isWrong: boolean) {
    const address = await this.verification.findPendingAddress(kind, sessionId);
    if (address === null) return redirect(returnTo);
    return codePage({
      ...{ title: TITLES[kind], formToken, to: address, returnTo, isWrong },
      action: `/account/addresses/${kind}/code`,
      elsewhere: { path: returnTo, words: 'continue without it' },
    });
  }
}

/** Returns the address kind that a path segment names. Throws `resource_not_found` for any other segment. */
export function parseAddressKind(kind: string): AddressKind {
  if (kind === 'email' || kind === 'phone') return kind;
  throw new SettleError('resource_not_found', 'There is nothing at this address.');
}
