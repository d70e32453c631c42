import { Body, Controller, Get, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { AddressKind } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { START_OF_ACCOUNT, ownPath, withReturnTo } from '../pages/own-path.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { OwnForm } from '../sign-in/own-form.guard.js';
import { formTokenOf } from '../sign-in/session-cookie.js';
import type { SignedIn } from '../sign-in/sessions.js';
import { Me, SignedInGuard } from '../sign-in/signed-in.guard.js';
import { ButtonForm, CodeForm } from '../sign-up/sign-up.forms.js';
import { renderCode } from '../sign-up/sign-up.pages.js';
import { checkedKind } from './account.forms.js';
import { AddressProofs } from './address-proofs.js';

const TITLES = { email: 'Prove your e-mail address', phone: 'Prove your phone number' };

/** Takes the codes that prove addresses. Where to go afterwards stands in the query. */
@Controller('account/addresses/:kind/code')
@UseGuards(SignedInGuard)
export class AddressCodeController {
  constructor(private readonly proofs: AddressProofs) {}

  @Get()
  async page(
    @Me() me: SignedIn,
    @Res() reply: FastifyReply,
    @Param('kind') kind: string,
    @Query('return_to') returnTo: unknown,
  ): Promise<void> {
    await this.#show(reply, me, { kind: checkedKind(kind), returnTo: ownPath(returnTo), isWrong: false });
  }

  @Post()
  @UseGuards(OwnForm(CodeForm))
  async complete(
    @Me() me: SignedIn,
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
  @UseGuards(OwnForm(ButtonForm))
  async again(
    @Me() me: SignedIn,
    @Req() request: FastifyRequest<{ Querystring: { return_to?: unknown } }>,
    @Res() reply: FastifyReply,
    @Param('kind') kindText: string,
  ): Promise<void> {
    const kind = checkedKind(kindText);
    const address = await this.proofs.waiting(kind, me.sessionId);
    const returnTo = ownPath(request.query.return_to);
    if (address === null) return leadTo(reply, START_OF_ACCOUNT);
    const { sessionId, userId } = me;
    await this.proofs.begin({ kind, address, sessionId, userId, askedFrom: request.ip });
    await leadTo(reply, withReturnTo(`/account/addresses/${kind}/code`, returnTo));
  }

  async #show(
    reply: FastifyReply,
    { sessionId }: SignedIn,
    { kind, returnTo, isWrong }: { kind: AddressKind; returnTo: string; isWrong: boolean },
  ): Promise<void> {
    const address = await this.proofs.waiting(kind, sessionId);
    if (address === null) return leadTo(reply, returnTo);
    const html = renderCode({
      title: TITLES[kind],
      formToken: formTokenOf(sessionId),
      to: address,
      action: `/account/addresses/${kind}/code`,
      returnTo,
      isWrong,
      elsewhere: { path: returnTo, words: 'go on without it' },
    });
    await sendPage(reply, html, { status: isWrong ? 400 : 200 });
  }
}
