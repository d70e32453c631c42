import { Body, Controller, Get, HttpStatus, Inject, Query, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError, addFunds, changeFundingSource, getAccount, type FundingSource } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { ReauthenticatedForm, type FormOf } from '../http/form.js';
import { orRefusal, page, redirect, type PageResponse } from '../http/page-response.js';
import { SETTINGS } from '../injection/providers.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { requestChange, requestForUser } from '../user-requests/user-requests.js';
import { CardForm, findCardFaults, normalizeCardNumber, type CardFaults } from './card-faults.js';
import { renderFunding } from './funding.page.js';
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
  page(@CurrentUser() user: SignedInUser, @Query('done') done: unknown): Promise<PageResponse> {
    return this.#page(user, { done });
  }

  @PostForm('', CardForm)
  async add(@CurrentUser() user: SignedInUser, @Body() card: FormOf<typeof CardForm>): Promise<PageResponse> {
    if (!this.settings.devTools) throw new SettleError('service_unavailable', NO_PROVIDER);
    const faults = findCardFaults(card, Date.now());
    if (Object.keys(faults).length > 0) return this.#page(user, { faults }, HttpStatus.BAD_REQUEST);
    const source = orRefusal(() => tokenizeTestCard(normalizeCardNumber(card.card_number)));
    if (source instanceof SettleError) {
      return this.#page(user, { faults: { card_number: source.message } }, source.status);
    }
    // The funds come first: if the card came first and the funds failed, the user would not add the card again.
    await requestForUser(this.client, addFunds, buildTestFunding(user.userId));
    return this.#changeSource(user.userId, source, 'card-added');
  }

  @PostForm('remove', ReauthenticatedForm, ReauthenticationGuard())
  remove(@CurrentUser() { userId }: SignedInUser): Promise<PageResponse> {
    return this.#changeSource(userId, null, 'card-removed');
  }

  async #changeSource(userId: string, source: FundingSource | null, done: string): Promise<PageResponse> {
    const isConfirmed = await requestChange(this.client, changeFundingSource, { userId, source });
    return redirect(`/account/funding?done=${isConfirmed ? done : 'late'}`);
  }

  async #page(
    user: SignedInUser,
    content: { faults?: CardFaults; done?: unknown },
    status = 200,
  ): Promise<PageResponse> {
    const { fundingSource: source } = await requestForUser(this.client, getAccount, { userId: user.userId });
    const unavailableReason = this.settings.devTools ? null : NO_PROVIDER;
    return page(renderFunding(user, { source, unavailableReason, ...content }), { status });
  }
}
