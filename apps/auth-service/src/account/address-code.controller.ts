import { Body, Controller, Get, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { AddressKind } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { START_OF_ACCOUNT, ownPath, withReturnTo } from '../pages/own-path.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { ButtonForm, CodeForm } from '../sign-up/sign-up.forms.js';
import { renderCode } from '../sign-up/sign-up.pages.js';
import { checkedKind } from './account.forms.js';
import { AddressProofs } from './address-proofs.js';

const TITLES = { email: 'Prove your e-mail address', phone: 'Prove your phone number' };

/** Takes the codes that prove addresses. Where to go afterwards stands in the query. */
@Controller('account/addresses/:kind/code')
@UseGuards(SessionGuard)
export class AddressCodeController {
  constructor(private readonly proofs: AddressProofs) {}

  @Get()
  async page(
    @CurrentUser() me: SignedInUser,
    @Res() reply: FastifyReply,
    @Param('kind') kind: string,
    @Query('return_to') returnTo: unknown,
  ): Promise<void> {
    await this.#show(reply, me, { kind: checkedKind(kind), returnTo: ownPath(returnTo), isWrong: false });
  }

  @Post()
  @UseGuards(CsrfGuard(CodeForm))
  async complete(
    @CurrentUser() me: SignedInUser,
    @Req() request: FastifyRequest<{ Querystring: { return_to?: unknown } }>,
    @Res() reply: FastifyReply,
    @Body() form: CodeForm,
  ): Promise<void> {
    const { kind } = request.params as { kind: string };
    const returnTo = ownPath(request.query.return_to);
    const account = await this.proofs.complete(checkedKind(kind), me, form.code);
    if (account === null) return this.#show(reply, me, { kind: checkedKind(kind), returnTo, isWrong: true });
    await leadTo(reply, returnTo === START_OF_ACCOUNT ? '/account?done=proven' : returnTo);
  }

  @Post('again')
  @UseGuards(CsrfGuard(ButtonForm))
  async again(
    @CurrentUser() me: SignedInUser,
    @Req() request: FastifyRequest<{ Querystring: { return_to?: unknown } }>,
    @Res() reply: FastifyReply,
    @Param('kind') kindText: string,
  ): Promise<void> {
    const kind = checkedKind(kindText);
    const address = await this.proofs.waiting(kind, me.sessionId);
    const returnTo = ownPath(request.query.return_to);
    if (address === null) return leadTo(reply, START_OF_ACCOUNT);
    const { sessionId, userId } = me;
    await this.proofs.begin({ kind, address, sessionId, userId, callerIp: request.ip });
    await leadTo(reply, withReturnTo(`/account/addresses/${kind}/code`, returnTo));
  }

  async #show(
    reply: FastifyReply,
    { sessionId }: SignedInUser,
    { kind, returnTo, isWrong }: { kind: AddressKind; returnTo: string; isWrong: boolean },
  ): Promise<void> {
    const address = await this.proofs.waiting(kind, sessionId);
    if (address === null) return leadTo(reply, returnTo);
    const html = renderCode({
      title: TITLES[kind],
      formToken: deriveFormToken(sessionId),
      to: address,
      action: `/account/addresses/${kind}/code`,
      returnTo,
      isWrong,
      elsewhere: { path: returnTo, words: 'go on without it' },
    });
    await sendPage(reply, html, { status: isWrong ? 400 : 200 });
  }
}
