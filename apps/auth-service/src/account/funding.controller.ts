import { Body, Controller, Get, HttpStatus, Inject, Query, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError, addFunds, changeFundingSource, type FundingSource } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { FundingPages } from '../funding/funding-pages.js';
import { ReauthenticatedForm, type FormOf } from '../http/form.js';
import { orRefusal, page, redirect, type PageResponse } from '../http/page-response.js';
import { SETTINGS } from '../injection/providers.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { isConfirmed, requestForUser, sendForUser } from '../user-requests/user-requests.js';
import { CardForm, findCardFaults, normalizeCardNumber, type CardFaults } from './card-faults.js';
import { renderFunding } from './funding.page.js';
import { buildTestFunding, tokenizeTestCard } from './test-cards.js';

const NO_PROVIDER = 'No card provider is connected to this server, so you cannot add a card or money here.';

const HAS_PROVIDER = 'Test cards are not used here: a payment provider is connected. Go back and reload the page.';

/** Microseconds since 1970, until the year 2255 of which every number is exact. */
const TIME_US = /^[0-8]?[0-9]{1,15}$/;

/**
 * Shows the money from and to the outside. Without a payment provider it manages the test card that funds payments above
 * the balance; only the source id and the last four digits of a card leave this page.
 */
@Controller('account/funding')
@UseGuards(SessionGuard)
export class FundingController {
  constructor(
    private readonly client: MessageClient,
    private readonly pages: FundingPages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  page(
    @CurrentUser() user: SignedInUser,
    @Query('done') done: unknown,
    @Query('before') before: unknown,
  ): Promise<PageResponse> {
    const beforeUs = typeof before === 'string' && TIME_US.test(before) ? Number(before) : null;
    return this.#page(user, { done, beforeUs });
  }

  @PostForm('', CardForm)
  async add(@CurrentUser() user: SignedInUser, @Body() card: FormOf<typeof CardForm>): Promise<PageResponse> {
    if (!this.settings.devTools) throw new SettleError('service_unavailable', NO_PROVIDER);
    if ((await this.pages.load(user)).overview.isAvailable) throw new SettleError('not_permitted', HAS_PROVIDER);
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
    const isInEffect = await isConfirmed(sendForUser(this.client, changeFundingSource, { userId, source }));
    return redirect(`/account/funding?done=${isInEffect ? done : 'late'}`);
  }

  async #page(
    user: SignedInUser,
    { beforeUs, ...content }: { faults?: CardFaults; done?: unknown; beforeUs?: number | null },
    status = 200,
  ): Promise<PageResponse> {
    const funding = await this.pages.load(user, beforeUs);
    if (funding.overview.isAvailable) return this.pages.render(user, funding, { done: content.done });
    const { paymentSource: source } = funding;
    const unavailableReason = this.settings.devTools ? null : NO_PROVIDER;
    return page(renderFunding(user, { source, unavailableReason, ...content }), { status });
  }
}
