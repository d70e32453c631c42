import type { AccountHead } from '../pages/navigation.js';
import { pageTemplate } from '../pages/page-template.js';

export interface ConnectedAppsPage {
  readonly head: AccountHead;
  readonly done: string | null;
  readonly apps: readonly {
    readonly appId: string;
    readonly name: string;
    readonly siteUrl: string;
    readonly abilities: readonly string[];
    readonly connectedOn: string;
    /** Null: not yet. */
    readonly lastUsedOn: string | null;
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
<form method="post" action="/account/apps/revoke">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<input type="hidden" name="app" value="<%= app.appId %>">
<button class="small danger">End access<span class="hidden"> of <%= app.name %></span></button>
</form>
</section>
<% } %>
`);
