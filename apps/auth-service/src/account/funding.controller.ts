import { Body, Controller, Get, HttpStatus, Inject, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError, addFunds, changeFundingSource, getAccount, type FundingSource } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { FastifyReply } from 'fastify';
import { accountHead } from '../pages/navigation.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { SETTINGS } from '../providers.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { CardForm, RemoveCardForm } from './account.forms.js';
import { askFor, isKnownToPayments } from './ask-for.js';
import { cardDigits, cardFaults, type CardFaults } from './card-faults.js';
import { doneWords } from './done.js';
import { renderFunding, type FundingPage } from './funding.page.js';
import { firstBalance, takeTestCard } from './test-cards.js';

const NO_PROVIDER = 'No provider of cards is connected to this server, so none can be added.';

/** What payments beyond the balance are paid with. Nothing of a card but its source id and last digits leaves here. */
@Controller('account/funding')
@UseGuards(SessionGuard)
export class FundingController {
  constructor(
    private readonly client: MessageClient,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  async page(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Query('done') done: unknown): Promise<void> {
    await this.#show(reply, me, { done: doneWords(done) });
  }

  @Post()
  @UseGuards(CsrfGuard(CardForm))
  async add(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Body() card: CardForm): Promise<void> {
    if (!this.settings.devTools) throw new SettleError('service_unavailable', NO_PROVIDER);
    const faults = cardFaults(card, Date.now());
    if (Object.keys(faults).length > 0) return this.#show(reply, me, { faults }, HttpStatus.BAD_REQUEST);
    const source = sourceOrRefusal(card.card_number);
    if (source instanceof SettleError) {
      return this.#show(reply, me, { faults: { card_number: source.message } }, source.status);
    }
    // First: were it second, the card could be there without it, and nobody would add it again.
    await askFor(this.client, addFunds, firstBalance(me.userId));
    await leadTo(reply, `/account/funding?done=${await this.#change(me.userId, source, 'card-added')}`);
  }

  @Post('remove')
  @UseGuards(CsrfGuard(RemoveCardForm), ReauthenticationGuard())
  async remove(@CurrentUser() { userId }: SignedInUser, @Res() reply: FastifyReply): Promise<void> {
    await leadTo(reply, `/account/funding?done=${await this.#change(userId, null, 'card-removed')}`);
  }

  /** The word for what has been done. */
  async #change(userId: string, source: FundingSource | null, done: string): Promise<string> {
    return (await isKnownToPayments(this.client, changeFundingSource, { userId, source })) ? done : 'late';
  }

  async #show(reply: FastifyReply, me: SignedInUser, page: Partial<FundingPage>, status = 200): Promise<void> {
    const { fundingSource: source } = await askFor(this.client, getAccount, { userId: me.userId });
    const head = accountHead('/account/funding', deriveFormToken(me.sessionId));
    const faults: CardFaults = {};
    const bar = this.settings.devTools ? null : NO_PROVIDER;
    await sendPage(reply, renderFunding({ head, source, bar, faults, done: null, ...page }), { status });
  }
}

function sourceOrRefusal(cardNumber: string): FundingSource | SettleError {
  try {
    return takeTestCard(cardDigits(cardNumber));
  } catch (error) {
    if (error instanceof SettleError) return error;
    throw error;
  }
}
