import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { changeFundingSource, getAccount } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { FundingNotices } from '../funding/funding-notices.js';
import { FundingPages } from '../funding/funding-pages.js';
import { ReauthenticatedForm } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { isConfirmed, requestForUser, sendForUser } from '../user-requests/user-requests.js';
import { renderFunding } from './funding.page.js';

/** Microseconds since 1970, until the year 2255 of which every number is exact. */
const TIME_US = /^[0-8]?[0-9]{1,15}$/;

/** Shows the money from and to the outside. Without a payment provider a card can only be removed. */
@Controller('account/funding')
@UseGuards(SessionGuard)
export class FundingController {
  constructor(
    private readonly client: MessageClient,
    private readonly pages: FundingPages,
    private readonly notices: FundingNotices,
  ) {}

  @Get()
  async page(
    @CurrentUser() user: SignedInUser,
    @Query('done') done: unknown,
    @Query('before') before: unknown,
  ): Promise<PageResponse> {
    const beforeUs = typeof before === 'string' && TIME_US.test(before) ? Number(before) : null;
    const funding = await this.pages.load(user, beforeUs);
    if (funding.overview.isAvailable) return this.pages.render(user, funding, { done });
    return page(renderFunding(user, { source: funding.paymentSource, done }));
  }

  /** Removes a card that the provider does not list, or that was added before there was a provider. */
  @PostForm('remove', ReauthenticatedForm, ReauthenticationGuard())
  async remove(@CurrentUser() { userId }: SignedInUser): Promise<PageResponse> {
    const { fundingSource } = await requestForUser(this.client, getAccount, { userId });
    const isInEffect = await isConfirmed(sendForUser(this.client, changeFundingSource, { userId, source: null }));
    if (fundingSource !== null) {
      await this.notices.notify(userId, 'funding_source_removed', fundingSource.id ?? 'former card');
    }
    return redirect(`/account/funding?done=${isInEffect ? 'card-removed' : 'late'}`);
  }
}
