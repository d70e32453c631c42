import { Body, Controller, Get, Post, Query, UseGuards } from '@nestjs/common';
import { SettleError, abilitiesOf } from '@settle/contracts';
import { getSiteHost } from '../pages/visible-text.js';
import { getConfirmation } from '../pages/confirmations.js';
import { AppSpendingLimits } from '../spending-limits/app-spending-limits.js';
import { MAX_AMOUNT_LENGTH, formatAmountPerDay, parseAmountPerDay } from '../spending-limits/amount-per-day.js';
import { formatMinute } from '../pages/format-minute.js';
import { buildAccountHeader, type AccountHeader } from '../pages/navigation.js';
import { pageTemplate } from '../pages/page-template.js';
import { form, text, type FormOf } from '../http/form.js';
import { orRefusal, page, redirect, type PageResponse } from '../http/page-response.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { ConnectedApps, type ConnectedApp } from './connected-apps.js';

const RevokeForm = form({ app: text(200) });

/** The limit is in dollars. Empty means no limit. */
const AmountForm = form({ app: text(200), amount_per_day: text(MAX_AMOUNT_LENGTH) });

interface ConnectedAppsPage {
  readonly head: AccountHeader;
  readonly confirmation: string | null;
  /** The rejected daily limit of an app. */
  readonly fault: { readonly appId: string; readonly typed: string; readonly message: string } | null;
  readonly apps: readonly ReturnType<typeof describeApp>[];
}

const renderConnectedApps =
  pageTemplate<ConnectedAppsPage>(`<% layout('@layout', { title: 'Connected apps', isWide: true, account: it.head }) %>
<h1>Connected apps</h1>
<% if (it.confirmation) { %><p class="done" role="status"><%= it.confirmation %></p><% } %>
<% if (it.apps.length === 0) { %><p>No app has access to your wallet.</p><% } %>
<% for (const [index, app] of it.apps.entries()) { %>
<section aria-labelledby="app-<%= index %>">
<h2 id="app-<%= index %>"><bdi><%= app.name %></bdi></h2>
<p class="soft"><bdi><%= app.siteHost %></bdi></p>
<p>It can:</p>
<ul>
<% for (const ability of app.abilities) { %><li><%= ability %></li>
<% } %></ul>
<dl>
<dt>Connected</dt><dd><%= app.connectedOn %></dd>
<dt>Last used</dt><dd><%= app.lastUsedOn ?? 'Never' %></dd>
</dl>
<% if (app.amountPerDay !== null) { const fault = it.fault?.appId === app.appId ? it.fault : null; %><form method="post" action="/account/apps/amount">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<input type="hidden" name="app" value="<%= app.appId %>">
<div class="field">
<label for="amount-<%= index %>">Daily limit<span class="hidden"> of <%= app.name %></span> <span class="soft">(optional)</span></label>
<p class="hint" id="amount-<%= index %>-hint">In dollars, such as 20 or 12.50. The limit covers what the app pays and approves for you within 24 hours. Leave it empty for no limit.</p>
<input id="amount-<%= index %>" name="amount_per_day" type="text" inputmode="decimal" maxlength="40" value="<%= fault?.typed ?? app.amountPerDay %>"<% if (fault) { %> aria-invalid="true"<% } %> aria-describedby="amount-<%= index %>-hint<% if (fault) { %> amount-<%= index %>-error<% } %>">
<% if (fault) { %><p class="error" id="amount-<%= index %>-error"><%= fault.message %></p>
<% } %></div>
<button class="small">Save<span class="hidden"> the limit of <%= app.name %></span></button>
</form>
<% } %><form method="post" action="/account/apps/revoke">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<input type="hidden" name="app" value="<%= app.appId %>">
<button class="small danger">End access<span class="hidden"> of <%= app.name %></span></button>
</form>
</section>
<% } %>
`);

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

/** Returns the app as the page shows it. `lastUsedOn` is null if the app was never used. */
function describeApp({ scopes, connectedAt, lastUsedAt, amountPerDayCents, ...app }: ConnectedApp) {
  return {
    ...app,
    siteHost: getSiteHost(app.siteUrl),
    abilities: abilitiesOf(scopes),
    // In dollars, empty for no limit; null if the app makes no payments. An existing limit stays visible without the
    // scope, because it applies again once the app gets the scope.
    amountPerDay:
      scopes.includes('make_payments') || amountPerDayCents !== null ? formatAmountPerDay(amountPerDayCents) : null,
    connectedOn: formatMinute(connectedAt),
    lastUsedOn: lastUsedAt && formatMinute(lastUsedAt),
  };
}
