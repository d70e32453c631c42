import type { AccountHead } from '../pages/navigation.js';
import { pageTemplate } from '../pages/page-template.js';

export interface ConnectedAppsPage {
  readonly head: AccountHead;
  readonly done: string | null;
  /** What was typed as an app's amount and cannot be taken. */
  readonly fault: { readonly appId: string; readonly typed: string; readonly message: string } | null;
  readonly apps: readonly {
    readonly appId: string;
    readonly name: string;
    readonly siteUrl: string;
    readonly abilities: readonly string[];
    readonly connectedOn: string;
    /** Null: not yet. */
    readonly lastUsedOn: string | null;
    /** What it may move within a day, dollars, empty for no limit; null: it makes no payments. */
    readonly amountPerDay: string | null;
  }[];
}

export const renderConnectedApps =
  pageTemplate<ConnectedAppsPage>(`<% layout('@layout', { title: 'Connected apps', isWide: true, account: it.head }) %>
<h1>Connected apps</h1>
<% if (it.done) { %><p class="done" role="status"><%= it.done %></p><% } %>
<% if (it.apps.length === 0) { %><p>No app has access to your wallet.</p><% } %>
<% for (const [n, app] of it.apps.entries()) { %>
<section aria-labelledby="app-<%= n %>">
<h2 id="app-<%= n %>"><bdi><%= app.name %></bdi></h2>
<p class="soft"><bdi><%= app.siteUrl %></bdi></p>
<p>It can:</p>
<ul>
<% for (const words of app.abilities) { %><li><%= words %></li>
<% } %></ul>
<dl>
<dt>First let in</dt><dd><%= app.connectedOn %></dd>
<dt>Last used</dt><dd><%= app.lastUsedOn ?? 'Not yet' %></dd>
</dl>
<% if (app.amountPerDay !== null) { const fault = it.fault?.appId === app.appId ? it.fault : null; %><form method="post" action="/account/apps/amount">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<input type="hidden" name="app" value="<%= app.appId %>">
<div class="field">
<label for="amount-<%= n %>">At most this much a day<span class="hidden"> through <%= app.name %></span> <span class="soft">(optional)</span></label>
<p class="hint" id="amount-<%= n %>-hint">In dollars, such as 20 or 12.50: what it pays for you, and approves, within 24 hours. Empty: no limit.</p>
<input id="amount-<%= n %>" name="amount_per_day" type="text" inputmode="decimal" maxlength="40" value="<%= fault?.typed ?? app.amountPerDay %>"<% if (fault) { %> aria-invalid="true"<% } %> aria-describedby="amount-<%= n %>-hint<% if (fault) { %> amount-<%= n %>-error<% } %>">
<% if (fault) { %><p class="error" id="amount-<%= n %>-error"><%= fault.message %></p>
<% } %></div>
<button class="small">Save<span class="hidden"> the amount of <%= app.name %></span></button>
</form>
<% } %><form method="post" action="/account/apps/revoke">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<input type="hidden" name="app" value="<%= app.appId %>">
<button class="small danger">End access<span class="hidden"> of <%= app.name %></span></button>
</form>
</section>
<% } %>
`);
