import { abilitiesOf } from '@settle/contracts';
import { formatMinute } from '../pages/format-minute.js';
import type { AccountHeader } from '../pages/navigation.js';
import { pageTemplate } from '../pages/page-template.js';
import { formatAmountPerDay } from '../spending-limits/amount-per-day.js';
import type { ConnectedApp } from './connected-apps.js';

export interface ConnectedAppsPage {
  readonly head: AccountHeader;
  readonly confirmation: string | null;
  /** The rejected daily limit of an app. */
  readonly fault: { readonly appId: string; readonly typed: string; readonly message: string } | null;
  readonly apps: readonly ReturnType<typeof describeApp>[];
}

/** Returns the app as the page shows it. `lastUsedOn` is null if the app was never used. */
export function describeApp({ scopes, connectedAt, lastUsedAt, amountPerDayCents, ...app }: ConnectedApp) {
  return {
    ...app,
    abilities: abilitiesOf(scopes),
    // In dollars, empty for no limit; null if the app makes no payments. An existing limit stays visible without the
    // scope, because it applies again once the app gets the scope.
    amountPerDay:
      scopes.includes('make_payments') || amountPerDayCents !== null ? formatAmountPerDay(amountPerDayCents) : null,
    connectedOn: formatMinute(connectedAt),
    lastUsedOn: lastUsedAt && formatMinute(lastUsedAt),
  };
}

export const renderConnectedApps =
  pageTemplate<ConnectedAppsPage>(`<% layout('@layout', { title: 'Connected apps', isWide: true, account: it.head }) %>
<h1>Connected apps</h1>
<% if (it.confirmation) { %><p class="done" role="status"><%= it.confirmation %></p><% } %>
<% if (it.apps.length === 0) { %><p>No app has access to your wallet.</p><% } %>
<% for (const [index, app] of it.apps.entries()) { %>
<section aria-labelledby="app-<%= index %>">
<h2 id="app-<%= index %>"><bdi><%= app.name %></bdi></h2>
<p class="soft"><bdi><%= app.siteUrl %></bdi></p>
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
