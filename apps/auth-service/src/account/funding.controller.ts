import { Body, Controller, Get, HttpStatus, Inject, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError, addFunds, changeFundingSource, getAccount, type FundingSource } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { FastifyReply } from 'fastify';
import { buildAccountHeader } from '../pages/navigation.js';
import { redirect, sendPage } from '../http/send-page.js';
import { SETTINGS } from '../injection/providers.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { CardForm, RemoveCardForm } from './account.forms.js';
import { requestForUser, requestChange } from '../user-requests/user-requests.js';
import { normalizeCardNumber, findCardFaults, type CardFaults } from './card-faults.js';
import { getConfirmation } from '../pages/confirmations.js';
import { renderFunding, type FundingPage } from './funding.page.js';
import { buildTestFunding, tokenizeTestCard } from './test-cards.js';

const NO_PROVIDER = 'No card provider is connected to this server, so you cannot add a card.';

/** Manages the card that funds payments above the balance. Only the source id and the last four digits of a card leave this page. */
@Controller('account/funding')
@UseGuards(SessionGuard)
export class FundingController {
  constructor(
    private readonly client: MessageClient,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  async page(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Query('done') done: unknown,
  ): Promise<void> {
    await this.#sendPage(reply, user, { confirmation: getConfirmation(done) });
  }

  @Post()
  @UseGuards(CsrfGuard(CardForm))
  async add(@CurrentUser() user: SignedInUser, @Res() reply: FastifyReply, @Body() card: CardForm): Promise<void> {
    if (!this.settings.devTools) throw new SettleError('service_unavailable', NO_PROVIDER);
    const faults = findCardFaults(card, Date.now());
    if (Object.keys(faults).length > 0) return this.#sendPage(reply, user, { faults }, HttpStatus.BAD_REQUEST);
    const source = tokenizeCard(card.card_number);
    if (source instanceof SettleError) {
      return this.#sendPage(reply, user, { faults: { card_number: source.message } }, source.status);
    }
    // The funds come first: if the card came first and the funds failed, the user would not add the card again.
    await requestForUser(this.client, addFunds, buildTestFunding(user.userId));
    await redirect(reply, `/account/funding?done=${await this.#changeSource(user.userId, source, 'card-added')}`);
  }

  @Post('remove')
  @UseGuards(CsrfGuard(RemoveCardForm), ReauthenticationGuard())
  async remove(@CurrentUser() { userId }: SignedInUser, @Res() reply: FastifyReply): Promise<void> {
    await redirect(reply, `/account/funding?done=${await this.#changeSource(userId, null, 'card-removed')}`);
  }

  /** Returns the `done` parameter of the page that follows. */
  async #changeSource(userId: string, source: FundingSource | null, done: string): Promise<string> {
    return (await requestChange(this.client, changeFundingSource, { userId, source })) ? done : 'late';
  }

  async #sendPage(reply: FastifyReply, user: SignedInUser, page: Partial<FundingPage>, status = 200): Promise<void> {
    const { fundingSource: source } = await requestForUser(this.client, getAccount, { userId: user.userId });
    const head = buildAccountHeader('/account/funding', deriveFormToken(user.sessionId));
    const faults: CardFaults = {};
    const unavailableReason = this.settings.devTools ? null : NO_PROVIDER;
    await sendPage(reply, renderFunding({ head, source, unavailableReason, faults, confirmation: null, ...page }), {
      status,
    });
  }
}

function tokenizeCard(cardNumber: string): FundingSource | SettleError {
  try {
    return tokenizeTestCard(normalizeCardNumber(cardNumber));
  } catch (error) {
    if (error instanceof SettleError) return error;
    throw error;
  }
}
