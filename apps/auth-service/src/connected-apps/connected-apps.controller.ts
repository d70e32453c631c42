import { Body, Controller, Get, Post, Query, Res, UseGuards } from '@nestjs/common';
import { SettleError, abilitiesOf } from '@settle/contracts';
import type { FastifyReply } from 'fastify';
import { getConfirmation } from '../pages/confirmations.js';
import { AppSpendingLimits } from '../spending-limits/app-spending-limits.js';
import { MAX_AMOUNT_LENGTH, parseAmountPerDay, formatAmountPerDay } from '../spending-limits/amount-per-day.js';
import { SecretField, TextField } from '../pages/form-fields.js';
import { formatMinute } from '../pages/format-minute.js';
import { buildAccountHeader } from '../pages/navigation.js';
import { redirect, sendPage } from '../http/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { ConnectedApps, type ConnectedApp } from './connected-apps.js';
import { renderConnectedApps, type ConnectedAppsPage } from './connected-apps.page.js';

class RevokeForm {
  @SecretField()
  form_token: string;

  @TextField(200)
  app: string;
}

class AmountForm {
  @SecretField()
  form_token: string;

  @TextField(200)
  app: string;

  /** In dollars. Empty means no limit. */
  @TextField(MAX_AMOUNT_LENGTH)
  amount_per_day: string;
}

/** Lists the apps that the user authorized, sets their daily limits, and ends their access. */
@Controller('account/apps')
@UseGuards(SessionGuard)
export class ConnectedAppsController {
  constructor(
    private readonly apps: ConnectedApps,
    private readonly limits: AppSpendingLimits,
  ) {}

  @Get()
  async page(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Query('done') done: unknown,
  ): Promise<void> {
    await this.#sendPage(reply, user, { confirmation: getConfirmation(done) });
  }

  @Post('amount')
  @UseGuards(CsrfGuard(AmountForm))
  async setAmount(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Body() form: AmountForm,
  ): Promise<void> {
    const { app: appId, amount_per_day: typed } = form;
    const isConnected = (await this.apps.list(user.userId)).some((app) => app.appId === appId);
    if (!isConnected) throw new SettleError('resource_not_found', 'This app has no access to your wallet.');
    let cents: number | null;
    try {
      cents = parseAmountPerDay(typed);
    } catch (error) {
      if (!(error instanceof SettleError)) throw error;
      return this.#sendPage(reply, user, { fault: { appId, typed, message: error.message } }, error.status);
    }
    const isInEffect = await this.limits.set({ userId: user.userId, appId }, cents);
    await redirect(reply, `/account/apps?done=${isInEffect ? 'saved' : 'late'}`);
  }

  @Post('revoke')
  @UseGuards(CsrfGuard(RevokeForm))
  async revoke(@CurrentUser() user: SignedInUser, @Res() reply: FastifyReply, @Body() form: RevokeForm): Promise<void> {
    await this.apps.disconnect(user.userId, form.app);
    await redirect(reply, '/account/apps?done=disconnected');
  }

  async #sendPage(
    reply: FastifyReply,
    user: SignedInUser,
    page: Partial<ConnectedAppsPage>,
    status = 200,
  ): Promise<void> {
    const head = buildAccountHeader('/account/apps', deriveFormToken(user.sessionId));
    const apps = (await this.apps.list(user.userId)).map(toPageItem);
    await sendPage(reply, renderConnectedApps({ head, confirmation: null, fault: null, apps, ...page }), { status });
  }
}

function toPageItem({ scopes, connectedAt, lastUsedAt, amountPerDayCents, ...app }: ConnectedApp) {
  return {
    ...app,
    abilities: abilitiesOf(scopes),
    // An existing limit stays visible without the scope, because it applies again once the app gets the scope.
    amountPerDay:
      scopes.includes('make_payments') || amountPerDayCents !== null ? formatAmountPerDay(amountPerDayCents) : null,
    connectedOn: formatMinute(connectedAt),
    lastUsedOn: lastUsedAt && formatMinute(lastUsedAt),
  };
}
