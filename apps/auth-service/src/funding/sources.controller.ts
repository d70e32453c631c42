import { Body, Controller, Get, Inject, Query, UseGuards } from '@nestjs/common';
import { isProviderPage, type Settings } from '@settle/config';
import {
  SettleError,
  beginSource,
  changeFundingSource,
  endSource,
  getAccount,
  keepSource,
  type FundingSource,
  type SourceView,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { checkbox, form, matching, optional, password, text, type FormOf } from '../http/form.js';
import { redirect, type PageResponse } from '../http/page-response.js';
import { listProviderSources } from '../http/provider-pages.js';
import { SETTINGS } from '../injection/providers.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { isConfirmed, orSettleError, requestForUser, sendForUser } from '../user-requests/user-requests.js';
import { FundingNotices } from './funding-notices.js';
import { FundingPages } from './funding-pages.js';
import { canBeCharged } from './money-view.js';
import { SourceRequests, type SourceRequest } from './source-requests.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SOURCE_KEY = /^src-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const BeginForm = form({
  source_key: matching(SOURCE_KEY),
  for_payments: checkbox,
  for_payouts: checkbox,
  current_password: optional(password),
});
const PayForm = form({ source_key: text(200) });
const PayoutsForm = form({
  source_key: matching(SOURCE_KEY),
  change_id: matching(UUID),
  current_password: optional(password),
});
const RemoveForm = form({ source_key: text(200), current_password: optional(password) });

/** The longest name that `beginSource` takes. */
const LONGEST_OWNER_NAME = 200;

const PATH = '/account/funding';
const USED = 'This form was already used. Look at the list of your cards and accounts, or add another one.';
const NO_ANSWER = 'The payment provider does not respond. Nothing is lost: reload this page in a moment.';
const NO_REQUEST =
  'Nothing was added now: the link was already used, is older than 15 minutes, or belongs to another browser or sign-in. If your card or account is not in the list, add it again.';

/** Adds and removes the cards and accounts of a user. Their numbers are entered on the provider's pages. */
@Controller('account/funding')
@UseGuards(SessionGuard)
export class SourcesController {
  constructor(
    private readonly client: MessageClient,
    private readonly requests: SourceRequests,
    private readonly notices: FundingNotices,
    private readonly pages: FundingPages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Begins a source and redirects to the provider's page. */
  @PostForm(
    'sources',
    BeginForm,
    ReauthenticationGuard(undefined, ({ funding }) => listProviderSources(funding.pageOrigins)),
  )
  async begin(@CurrentUser() user: SignedInUser, @Body() input: FormOf<typeof BeginForm>): Promise<PageResponse> {
    const { source_key: sourceKey, for_payments: isForPayments, for_payouts: isForPayouts } = input;
    const location = await orSettleError(this.#begin(user, { sourceKey, isForPayments, isForPayouts }));
    if (!(location instanceof SettleError)) return redirect(location);
    const typed = { isForPayments, isForPayouts };
    return this.pages.refuse(user, { section: 'source', error: location, typed, id: sourceKey });
  }

  /** The way back from the provider's page. Believes nothing in the query but the state. */
  @Get('return')
  async finish(@CurrentUser() user: SignedInUser, @Query('state') state: unknown): Promise<PageResponse> {
    const request = await this.requests.consume(user.sessionId, state);
    if (request === null) {
      return this.pages.refuse(user, { section: 'sources', error: new SettleError('not_permitted', NO_REQUEST) });
    }
    const done = await orSettleError(this.#keep(user.userId, request));
    if (!(done instanceof SettleError)) return redirect(`${PATH}?done=${done}`);
    if (done.status < 500) return this.pages.refuse(user, { section: 'sources', error: done });
    await this.requests.reopen(user.sessionId, request.sourceKey);
    return this.pages.refuse(user, { section: 'sources', error: done, message: NO_ANSWER });
  }

  /** Lets a source pay for payments above the balance. */
  @PostForm('sources/pay', PayForm)
  async pay(@CurrentUser() user: SignedInUser, @Body() input: FormOf<typeof PayForm>): Promise<PageResponse> {
    const { overview } = await this.pages.load(user);
    const source = overview.sources.find(({ key }) => key === input.source_key);
    if (source === undefined || !canBeCharged(source)) {
      const error = new SettleError('not_permitted', 'This card or account cannot be charged. Use a different one.');
      return this.pages.refuse(user, { section: 'sources', error });
    }
    const isInEffect = await this.#changePaymentSource(user.userId, source);
    return redirect(`${PATH}?done=${isInEffect ? 'source-pays' : 'late'}`);
  }

  /** Lets withdrawals go to a source that could not receive them when it was added. */
  @PostForm('sources/payouts', PayoutsForm, ReauthenticationGuard())
  async useForPayouts(
    @CurrentUser() user: SignedInUser,
    @Body() { source_key: sourceKey, change_id: changeId }: FormOf<typeof PayoutsForm>,
  ): Promise<PageResponse> {
    const { userId } = user;
    const keeping = requestForUser(this.client, keepSource, { userId, sourceKey, isForPayouts: true });
    const source = await orSettleError(keeping);
    if (source instanceof SettleError) return this.pages.refuse(user, { section: 'sources', error: source });
    await this.notices.notify(userId, 'payout_source_changed', changeId);
    return redirect(`${PATH}?done=source-paid-out`);
  }

  @PostForm('sources/remove', RemoveForm, ReauthenticationGuard())
  async remove(
    @CurrentUser() user: SignedInUser,
    @Body() { source_key: sourceKey }: FormOf<typeof RemoveForm>,
  ): Promise<PageResponse> {
    const done = await orSettleError(this.#remove(user.userId, sourceKey));
    if (!(done instanceof SettleError)) return redirect(`${PATH}?done=${done}`);
    return this.pages.refuse(user, { section: 'sources', error: done });
  }

  /** Returns where the user goes next. */
  async #begin({ sessionId, userId }: SignedInUser, typed: SourceRequest): Promise<string> {
    if (!typed.isForPayments && !typed.isForPayouts) {
      throw new SettleError('invalid_request', 'Choose what you want to use it for.');
    }
    const begun = await this.requests.begin(sessionId, typed);
    if (begun === null) throw new SettleError('not_permitted', USED);
    const { sourceKey, isForPayments, isForPayouts } = begun.request;
    const { card } = await requestForUser(this.client, getAccount, { userId });
    const returnPath = `${PATH}/return?state=${begun.state}`;
    const { pageUrl } = await requestForUser(this.client, beginSource, {
      ...{ userId, sourceKey },
      ownerName: [...`${card.firstName} ${card.lastName}`].slice(0, LONGEST_OWNER_NAME).join(''),
      ...{ wantsCharges: isForPayments, wantsPayouts: isForPayouts },
      returnUrl: this.settings.publicUrl + returnPath,
    });
    if (pageUrl === null) return returnPath;
    if (isProviderPage(pageUrl, this.settings.funding.pageOrigins)) return pageUrl;
    throw new SettleError(
      'not_permitted',
      'The provider sent an address that is not allowed here. Ask the operator of this server.',
    );
  }

  /** Keeps the source as the provider has it. Returns the confirmation to show. */
  async #keep(userId: string, { sourceKey, isForPayments, isForPayouts }: SourceRequest): Promise<string> {
    const keep = (forPayouts: boolean) =>
      requestForUser(this.client, keepSource, { userId, sourceKey, isForPayouts: forPayouts });
    const kept = await orSettleError(keep(isForPayouts));
    // It may still pay, if it only cannot receive withdrawals.
    const isPartly = kept instanceof SettleError && kept.code === 'not_permitted' && isForPayments && isForPayouts;
    if (kept instanceof SettleError && !isPartly) throw kept;
    const source = kept instanceof SettleError ? await keep(false) : kept;
    if (source.state === 'ended') {
      throw new SettleError('not_permitted', 'The provider did not accept this card or account. Add a different one.');
    }
    await this.notices.notify(userId, 'funding_source_added', sourceKey);
    if (source.state === 'verifying') return 'source-verifying';
    const isInEffect = !isForPayments || !canBeCharged(source) || (await this.#changePaymentSource(userId, source));
    if (isPartly) return 'source-pays-only';
    return isInEffect ? 'source-added' : 'late';
  }

  /** No payment uses the source before it ends at the provider. */
  async #remove(userId: string, sourceKey: string): Promise<string> {
    const { fundingSource } = await requestForUser(this.client, getAccount, { userId });
    const isPaying = fundingSource?.id === sourceKey;
    const isInEffect = !isPaying || (await this.#changePaymentSource(userId, null));
    await requestForUser(this.client, endSource, { userId, sourceKey });
    await this.notices.notify(userId, 'funding_source_removed', sourceKey);
    return isInEffect ? 'source-removed' : 'late';
  }

  /** Returns whether payments know of it already. */
  #changePaymentSource(userId: string, source: SourceView | null): Promise<boolean> {
    return isConfirmed(
      sendForUser(this.client, changeFundingSource, { userId, source: source && toFundingSource(source) }),
    );
  }
}

/** Only digits are stored as the last four. */
function toFundingSource({ key: id, lastFour }: SourceView): FundingSource {
  return { id, lastFour: lastFour !== null && /^[0-9]{4}$/.test(lastFour) ? lastFour : null };
}
