import type { AccountHead } from '../pages/navigation.js';
import { pageTemplate } from '../pages/page-template.js';
import type { AppFaults, TypedAppDetails } from './app-details.js';

/** What stands in the fields of the form. */
export interface AppFields extends TypedAppDetails {
  readonly builds_addresses: boolean;
  readonly codes_only: boolean;
  readonly requires_pkce: boolean;
  readonly legacy_answers: boolean;
}

export interface AppsPage {
  readonly head: AccountHead;
  readonly done: string | null;
  readonly apps: readonly {
    readonly clientId: string;
    readonly name: string;
    readonly isOpen: boolean;
    /** By an operator. */
    readonly isSuspended: boolean;
    /** The day on which its addresses of plain http end; null: none does. */
    readonly httpEndsOn: string | null;
  }[];
  /** Why none can be registered; null: one can. */
  readonly bar: string | null;
  readonly fields: AppFields;
  readonly faults: AppFaults;
}

export interface AppPage {
  readonly head: AccountHead;
  readonly done: string | null;
  readonly clientId: string;
  readonly name: string;
  readonly hasSecret: boolean;
  /** To the minute; null: not known. */
  readonly secretMadeOn: string | null;
  /** Whether the secret before works as well. */
  readonly hasFormerSecret: boolean;
  readonly formerSecretMadeOn: string | null;
  readonly isOpen: boolean;
  /** By an operator. */
  readonly isSuspended: boolean;
  /** The day on which its addresses of plain http end; null: none does. */
  readonly httpEndsOn: string | null;
  readonly authorizeUrl: string;
  readonly publicUrl: string;
  readonly testUserId: string;
  /** Shown once, right after it was made. */
  readonly secret: string | null;
  /** Shown once as well. */
  readonly token: string | null;
  readonly fields: AppFields;
  readonly faults: AppFaults;
}

const FORM_FIELDS = `<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<%~ include('@field', { label: 'Name', name: 'name', value: it.fields.name, error: it.faults.name, hint: 'People see it when the app asks for access.', maxlength: 60 }) %>
<%~ include('@field', { label: 'Description', name: 'description', value: it.fields.description, error: it.faults.description, maxlength: 280 }) %>
<%~ include('@field', { label: 'Site URL', name: 'site_url', value: it.fields.site_url, error: it.faults.site_url, hint: 'Where people read about the app.', isVerbatim: true, maxlength: 2048 }) %>
<%~ include('@field', { label: 'Web redirect URL', name: 'redirect_url', value: it.fields.redirect_url, error: it.faults.redirect_url, hint: 'http(s)://host/path, where people are led after they decide. Without it nobody can let the app in.', isOptional: it.clientId !== undefined, isVerbatim: true, maxlength: 2048 }) %>
<div class="field">
<label for="more_redirect_urls">More redirect URLs <span class="soft">(optional, one a line)</span></label>
<textarea id="more_redirect_urls" name="more_redirect_urls" rows="3" spellcheck="false"<% if (it.faults.more_redirect_urls) { %> aria-invalid="true" aria-describedby="more_redirect_urls-error"<% } %>><%= it.fields.more_redirect_urls %></textarea>
<% if (it.faults.more_redirect_urls) { %><p class="error" id="more_redirect_urls-error"><%= it.faults.more_redirect_urls %></p><% } %>
</div>
<fieldset class="choices">
<legend>What the app may do</legend>
<label><input type="checkbox" name="builds_addresses" value="yes"<% if (it.fields.builds_addresses) { %> checked<% } %>> Build redirect addresses on the fly: anything below the addresses above</label>
<p class="hint">Risky: whoever can put a page, or a redirect, anywhere below these addresses can have tokens sent there. Leave it off unless all of them are yours.</p>
<label><input type="checkbox" name="codes_only" value="yes"<% if (it.fields.codes_only) { %> checked<% } %>> Take codes only</label>
<p class="hint">Safer: without it anybody can start the flow that puts a token into the address.</p>
<label><input type="checkbox" name="requires_pkce" value="yes"<% if (it.fields.requires_pkce) { %> checked<% } %>> Require PKCE</label>
<p class="hint">Safer: a code is asked for with a code_challenge every time, so that a stolen code is worth nothing. An app without a secret always needs one.</p>
<label><input type="checkbox" name="legacy_answers" value="yes"<% if (it.fields.legacy_answers) { %> checked<% } %>> Get legacy answers</label>
<p class="hint">For clients of the former interface: datetimes without Z, and error codes as strings of digits. Takes effect for tokens issued from now on.</p>
</fieldset>
`;

export const renderApps =
  pageTemplate<AppsPage>(`<% layout('@layout', { title: 'Your apps', isWide: true, account: it.head }) %>
<h1>Your apps</h1>
<% if (it.done) { %><p class="done" role="status"><%= it.done %></p><% } %>
<% if (it.apps.length > 0) { %>
<ul>
<% for (const app of it.apps) { %><li class="row"><a href="/developers/apps/<%= app.clientId %>"><bdi><%= app.name %></bdi></a><% if (app.isSuspended) { %> <span class="tag open">suspended</span><% } %><% if (!app.isOpen) { %> <span class="tag open">no redirect URL: closed</span><% } %><% if (app.httpEndsOn) { %> <span class="tag open">http redirect URL: ends on <%= app.httpEndsOn %></span><% } %></li>
<% } %></ul>
<% } else { %><p>You have registered none yet.</p><% } %>
<section aria-labelledby="register-title">
<h2 id="register-title">Register an app</h2>
<% if (it.bar) { %><p class="warn"><%= it.bar %></p>
<% } else { %>
<form method="post" action="/developers/apps">
${FORM_FIELDS}<button class="small">Register</button>
</form>
<% } %>
</section>
`);

export const renderApp =
  pageTemplate<AppPage>(`<% layout('@layout', { title: it.name, isWide: true, account: it.head }) %>
<h1><bdi><%= it.name %></bdi></h1>
<% if (it.done) { %><p class="done" role="status"><%= it.done %></p><% } %>
<% if (it.isSuspended) { %><p class="warn" role="status">This app is suspended: its tokens have ended, and it gets no new ones. Ask the operator of this wallet.</p><% } %>
<% if (!it.isOpen) { %><p class="warn">There is no redirect URL on file: nobody can let this app in.</p><% } %>
<% if (it.httpEndsOn) { %><p class="warn" role="status">A redirect URL of this app begins with http. It works until <%= it.httpEndsOn %>, and then it is refused: replace it by one with https.</p><% } %>
<section aria-labelledby="credentials-title">
<h2 id="credentials-title">Credentials</h2>
<dl>
<dt>client_id</dt><dd><code><%= it.clientId %></code></dd>
<dt>client_secret</dt><dd><% if (it.secret) { %><code><%= it.secret %></code><% } else if (it.hasSecret) { %>made<% if (it.secretMadeOn) { %> on <%= it.secretMadeOn %><% } %>, and shown once<% } else { %>none<% } %></dd>
<% if (it.hasFormerSecret) { %><dt>Former secret</dt><dd>still works<% if (it.formerSecretMadeOn) { %>; made on <%= it.formerSecretMadeOn %><% } %></dd>
<% } %></dl>
<% if (it.secret) { %><p class="warn" role="status">Copy the secret now: it is not shown again.</p><% } %>
<p class="soft">An app that runs on a server has a secret. One that runs on people's own machines has none, and sends a code_challenge every time.</p>
<form method="post" action="/developers/apps/<%= it.clientId %>/secret">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<button class="small"><%= it.hasSecret ? 'Make a new secret' : 'Make a secret' %></button>
</form>
<% if (it.hasFormerSecret) { %><p class="soft">Both secrets work, so that your servers can change to the new one without a failed request. End the former one when all of them use the new one, or at once if it has leaked. Another new secret also ends it.</p>
<form method="post" action="/developers/apps/<%= it.clientId %>/secret/end-former">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<button class="small danger">End the former secret</button>
</form>
<% } else if (it.hasSecret) { %><p class="soft">The secret that you have now goes on working beside a new one until you end it here.</p>
<% } %></section>
<% if (it.isOpen && !it.isSuspended) { %>
<section aria-labelledby="try-title">
<h2 id="try-title">Try it</h2>
<p>Send people here, with the scopes that you need:</p>
<pre><%= it.authorizeUrl %></pre>
<% if (it.token) { %>
<p>In the sandbox no real money moves. This pays its test user; the token is yours, for 30 minutes:</p>
<pre>curl <%= it.publicUrl %>/sandbox/v1/payments \\
  -d access_token=<%= it.token %> \\
  -d user_id=<%= it.testUserId %> \\
  -d amount=0.10 \\
  -d note=Hello</pre>
<p class="soft">The token works in the sandbox alone: elsewhere it is refused as <code>invalid_token</code>.</p>
<% } else { %>
<form method="post" action="/developers/apps/<%= it.clientId %>/token">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<button class="small">Make a token for the sandbox</button>
</form>
<% } %>
</section>
<% } %>
<section aria-labelledby="change-title">
<h2 id="change-title">Change it</h2>
<form method="post" action="/developers/apps/<%= it.clientId %>">
${FORM_FIELDS}<button class="small">Save</button>
</form>
</section>
<section aria-labelledby="delete-title">
<h2 id="delete-title">Delete it</h2>
<p class="soft">Every token that the app holds is refused from then on. There is no way back.</p>
<form method="post" action="/developers/apps/<%= it.clientId %>/delete">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<button class="small danger">Delete this app</button>
</form>
</section>
`);
