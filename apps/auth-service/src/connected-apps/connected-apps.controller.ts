import { Body, Controller, Get, Post, Query, UseGuards } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { getConfirmation } from '../pages/confirmations.js';
import { AppSpendingLimits } from '../spending-limits/app-spending-limits.js';
import { MAX_AMOUNT_LENGTH, parseAmountPerDay } from '../spending-limits/amount-per-day.js';
import { buildAccountHeader } from '../pages/navigation.js';
import { form, text, type FormOf } from '../http/form.js';
import { orRefusal, page, redirect, type PageResponse } from '../http/page-response.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { ConnectedApps } from './connected-apps.js';
import { describeApp, renderConnectedApps, type ConnectedAppsPage } from './connected-apps.page.js';

const RevokeForm = form({ app: text(200) });

/** The limit is in dollars. Empty means no limit. */
const AmountForm = form({ app: text(200), amount_per_day: text(MAX_AMOUNT_LENGTH) });

/** Lists the apps that the user authorized, sets their daily limits, and ends their access. */
@Controller('account/apps')
@UseGuards(SessionGuard)
export class ConnectedAppsController {
  constructor(
    private readonly apps: ConnectedApps,
    private readonly limits: AppSpendingLimits,
  ) {}

  @Get()
  page(@CurrentUser() user: SignedInUser, @Query('done') done: unknown): Promise<PageResponse> {
    return this.#page(user, { confirmation: getConfirmation(done) });
  }

  @Post('amount')
  @UseGuards(CsrfGuard(AmountForm))
  async setAmount(
    @CurrentUser() user: SignedInUser,
    @Body() { app: appId, amount_per_day: typed }: FormOf<typeof AmountForm>,
  ): Promise<PageResponse> {
    const isConnected = (await this.apps.list(user.userId)).some((app) => app.appId === appId);
    if (!isConnected) throw new SettleError('resource_not_found', 'This app has no access to your wallet.');
    const cents = orRefusal(() => parseAmountPerDay(typed));
    if (cents instanceof SettleError) {
      return this.#page(user, { fault: { appId, typed, message: cents.message } }, cents.status);
    }
    const isInEffect = await this.limits.set({ userId: user.userId, appId }, cents);
    return redirect(`/account/apps?done=${isInEffect ? 'saved' : 'late'}`);
  }

  @Post('revoke')
  @UseGuards(CsrfGuard(RevokeForm))
  async revoke(
    @CurrentUser() { userId }: SignedInUser,
    @Body() { app }: FormOf<typeof RevokeForm>,
  ): Promise<PageResponse> {
    await this.apps.disconnect(userId, app);
    return redirect('/account/apps?done=disconnected');
  }

  async #page(user: SignedInUser, content: Partial<ConnectedAppsPage>, status = 200): Promise<PageResponse> {
    const head = buildAccountHeader('/account/apps', user);
    const apps = (await this.apps.list(user.userId)).map(describeApp);
    return page(renderConnectedApps({ head, confirmation: null, fault: null, apps, ...content }), { status });
  }
}
