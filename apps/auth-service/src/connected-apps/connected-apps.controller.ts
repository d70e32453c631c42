import { Body, Controller, Get, Post, Query, Res, UseGuards } from '@nestjs/common';
import { SettleError, abilitiesOf } from '@settle/contracts';
import type { FastifyReply } from 'fastify';
import { doneWords } from '../account/done.js';
import { AppAmounts } from '../app-amounts/app-amounts.js';
import { LONGEST_AMOUNT, readAmountPerDay, shownAmountPerDay } from '../app-amounts/typed-amount.js';
import { CarriedSecret, TypedText } from '../pages/form-fields.js';
import { minuteOf } from '../pages/minute-of.js';
import { accountHead } from '../pages/navigation.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { ConnectedApps, type ConnectedApp } from './connected-apps.js';
import { renderConnectedApps, type ConnectedAppsPage } from './connected-apps.page.js';

class RevokeForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(200)
  app: string;
}

class AmountForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(200)
  app: string;

  /** Dollars; empty: no limit. */
  @TypedText(LONGEST_AMOUNT)
  amount_per_day: string;
}

/** The apps that somebody let in, how much they may move, and the way to end that. */
@Controller('account/apps')
@UseGuards(SessionGuard)
export class ConnectedAppsController {
  constructor(
    private readonly apps: ConnectedApps,
    private readonly amounts: AppAmounts,
  ) {}

  @Get()
  async page(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Query('done') done: unknown): Promise<void> {
    await this.#show(reply, me, { done: doneWords(done) });
  }

  @Post('amount')
  @UseGuards(CsrfGuard(AmountForm))
  async limit(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Body() form: AmountForm): Promise<void> {
    const { app: appId, amount_per_day: typed } = form;
    const isConnected = (await this.apps.of(me.userId)).some((app) => app.appId === appId);
    if (!isConnected) throw new SettleError('resource_not_found', 'This app has no access to your wallet.');
    let cents: number | null;
    try {
      cents = readAmountPerDay(typed);
    } catch (error) {
      if (!(error instanceof SettleError)) throw error;
      return this.#show(reply, me, { fault: { appId, typed, message: error.message } }, error.status);
    }
    const isInEffect = await this.amounts.set({ userId: me.userId, appId }, cents);
    await leadTo(reply, `/account/apps?done=${isInEffect ? 'saved' : 'late'}`);
  }

  @Post('revoke')
  @UseGuards(CsrfGuard(RevokeForm))
  async revoke(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Body() form: RevokeForm): Promise<void> {
    await this.apps.disconnect(me.userId, form.app);
    await leadTo(reply, '/account/apps?done=disconnected');
  }

  async #show(reply: FastifyReply, me: SignedInUser, page: Partial<ConnectedAppsPage>, status = 200): Promise<void> {
    const head = accountHead('/account/apps', deriveFormToken(me.sessionId));
    const apps = (await this.apps.of(me.userId)).map(inWords);
    await sendPage(reply, renderConnectedApps({ head, done: null, fault: null, apps, ...page }), { status });
  }
}

function inWords({ scopes, connectedAt, lastUsedAt, amountPerDayCents, ...app }: ConnectedApp) {
  return {
    ...app,
    abilities: abilitiesOf(scopes),
    // One without the scope that has an amount keeps it in sight: it counts again once the app is allowed to pay.
    amountPerDay:
      scopes.includes('make_payments') || amountPerDayCents !== null ? shownAmountPerDay(amountPerDayCents) : null,
    connectedOn: minuteOf(connectedAt),
    lastUsedOn: lastUsedAt && minuteOf(lastUsedAt),
  };
}
