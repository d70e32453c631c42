import { Body, Controller, Get, Post, Query, Res, UseGuards } from '@nestjs/common';
import { SettleError, abilitiesOf } from '@settle/contracts';
import type { FastifyReply } from 'fastify';
import { getConfirmation } from '../account/confirmations.js';
import { AppSpendingLimits } from '../spending-limits/app-spending-limits.js';
import { MAX_AMOUNT_LENGTH, parseAmountPerDay, formatAmountPerDay } from '../spending-limits/amount-per-day.js';
import { SecretField, TextField } from '../pages/form-fields.js';
import { formatMinute } from '../pages/format-minute.js';
import { buildAccountHeader } from '../pages/navigation.js';
import { redirect, sendPage } from '../pages/send-page.js';
import { OwnForm } from '../sign-in/own-form.guard.js';
import { formTokenOf } from '../sign-in/session-cookie.js';
import type { SignedIn } from '../sign-in/sessions.js';
import { Me, SignedInGuard } from '../sign-in/signed-in.guard.js';
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
@UseGuards(SignedInGuard)
export class ConnectedAppsController {
  constructor(
    private readonly apps: ConnectedApps,
    private readonly limits: AppSpendingLimits,
  ) {}

  @Get()
  async page(@Me() user: SignedIn, @Res() reply: FastifyReply, @Query('done') done: unknown): Promise<void> {
    await this.#sendPage(reply, user, { confirmation: getConfirmation(done) });
  }

  @Post('amount')
  @UseGuards(OwnForm(AmountForm))
  async setAmount(@Me() user: SignedIn, @Res() reply: FastifyReply, @Body() form: AmountForm): Promise<void> {
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
  @UseGuards(OwnForm(RevokeForm))
  async revoke(@Me() user: SignedIn, @Res() reply: FastifyReply, @Body() form: RevokeForm): Promise<void> {
    await this.apps.disconnect(user.userId, form.app);
    await redirect(reply, '/account/apps?done=disconnected');
  }

  async #sendPage(reply: FastifyReply, user: SignedIn, page: Partial<ConnectedAppsPage>, status = 200): Promise<void> {
    const head = buildAccountHeader('/account/apps', formTokenOf(user.sessionId));
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
