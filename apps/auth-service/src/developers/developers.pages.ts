import { SANDBOX_TEST_USER, SCOPES } from '@settle/contracts';
import type { FormOf } from '../http/form.js';
import type { AccountHeader } from '../pages/navigation.js';
import { pageTemplate } from '../pages/page-template.js';
import type { App } from '../tables/app.entity.js';
import type { AppFaults, AppForm } from './app-details.js';

/** The values of the form fields. */
export type AppFields = Omit<FormOf<typeof AppForm>, 'form_token' | 'current_password'>;

/** An app with the day on which its plain http redirect URLs expire, or null if none does. */
export type ListedApp = App & { readonly httpExpiresOn: string | null };

export interface AppsPage {
  readonly head: AccountHeader;
  readonly confirmation: string | null;
  readonly apps: readonly ListedApp[];
  /** Why the user cannot register apps, or null if they can. */
  readonly registrationBlock: string | null;
  readonly fields: AppFields;
  readonly faults: AppFaults;
}

export interface AppPage extends Omit<AppsPage, 'apps' | 'registrationBlock'> {
  readonly app: ListedApp;
  /** To the minute. Null if not known. */
  readonly secretCreatedOn: string | null;
  readonly formerSecretCreatedOn: string | null;
  readonly publicUrl: string;
  /** Shown only once, right after its creation. */
  readonly secret: string | null;
  /** Changes with each secret, so that a form that is sent again creates no other secret. */
  readonly secretVersion: string;
  /** Why no secret was created, or null. */
  readonly secretFault: string | null;
  /** Shown only once. */
  readonly token: string | null;
}

/** Returns a form of the app's page that has only a button. */
function buttonForm(path: string, label: string, look: string, fields = ''): string {
  return `<form method="post" action="/developers/apps/<%= it.app.clientId %>/${path}">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
${fields}<button class="${look}">${label}</button>
</form>`;
}

const SECRET_FORM = buttonForm(
  'secret',
  "<%= it.app.secretSha256 ? 'Create a new secret' : 'Create a secret' %>",
  'small',
  '<input type="hidden" name="secret_version" value="<%= it.secretVersion %>">\n',
);

/** The scopes of the example URL. */
const EXAMPLE_SCOPES = SCOPES.slice(0, 2).join('%20');

const FORM_FIELDS = `<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<%~ include('@field', { label: 'Name', name: 'name', value: it.fields.name, error: it.faults.name, hint: 'Users see it when the app asks for access.', maxlength: 60 }) %>
<%~ include('@field', { label: 'Description', name: 'description', value: it.fields.description, error: it.faults.description, maxlength: 280 }) %>
<%~ include('@field', { label: 'Site URL', name: 'site_url', value: it.fields.site_url, error: it.faults.site_url, hint: 'The website of the app.', isVerbatim: true, maxlength: 2048 }) %>
<%~ include('@field', { label: 'Web redirect URL', name: 'redirect_url', value: it.fields.redirect_url, error: it.faults.redirect_url, hint: 'http(s)://host/path, where users return after they decide. Without it, users cannot authorize the app.', isOptional: it.app !== undefined, isVerbatim: true, maxlength: 2048 }) %>
<div class="field">
<label for="more_redirect_urls">More redirect URLs <span class="soft">(optional, one per line)</span></label>
<textarea id="more_redirect_urls" name="more_redirect_urls" rows="3" spellcheck="false"<% if (it.faults.more_redirect_urls) { %> aria-invalid="true" aria-describedby="more_redirect_urls-error"<% } %>><%= it.fields.more_redirect_urls %></textarea>
<% if (it.faults.more_redirect_urls) { %><p class="error" id="more_redirect_urls-error"><%= it.faults.more_redirect_urls %></p><% } %>
</div>
<fieldset class="choices">
<legend>Options</legend>
<label><input type="checkbox" name="builds_addresses" value="yes"<% if (it.fields.builds_addresses) { %> checked<% } %>> Allow redirect URLs below the registered ones</label>
<p class="hint">Risky: every page and redirect below these URLs can receive tokens. Use it only if you control all of them.</p>
<label><input type="checkbox" name="codes_only" value="yes"<% if (it.fields.codes_only) { %> checked<% } %>> Accept only codes</label>
<p class="hint">Safer: otherwise any website can start the flow that puts a token into the URL.</p>
<label><input type="checkbox" name="requires_pkce" value="yes"<% if (it.fields.requires_pkce) { %> checked<% } %>> Require PKCE</label>
<p class="hint">Safer: every request needs a code_challenge, which makes a stolen code useless. An app without a secret always needs one.</p>
<label><input type="checkbox" name="legacy_answers" value="yes"<% if (it.fields.legacy_answers) { %> checked<% } %>> Use legacy responses</label>
<p class="hint">For clients of the legacy API: datetimes without Z, and error codes as strings of digits. Applies to tokens issued from now on.</p>
</fieldset>
`;

export const renderApps =
  pageTemplate<AppsPage>(`<% layout('@layout', { title: 'Your apps', isWide: true, account: it.head }) %>
<h1>Your apps</h1>
<% if (it.confirmation) { %><p class="done" role="status"><%= it.confirmation %></p><% } %>
<% if (it.apps.length > 0) { %>
<ul>
<% for (const app of it.apps) { %><li class="row"><a href="/developers/apps/<%= app.clientId %>"><bdi><%= app.name %></bdi></a><% if (app.suspendedAt) { %> <span class="tag open">suspended</span><% } %><% if (app.redirectUrls.length === 0) { %> <span class="tag open">no redirect URL</span><% } %><% if (app.httpExpiresOn) { %> <span class="tag open">http redirect URL expires on <%= app.httpExpiresOn %></span><% } %></li>
<% } %></ul>
<% } else { %><p>You have not registered any apps yet.</p><% } %>
<section aria-labelledby="register-title">
<h2 id="register-title">Register an app</h2>
<% if (it.registrationBlock) { %><p class="warn"><%= it.registrationBlock %></p>
<% } else { %>
<form method="post" action="/developers/apps">
${FORM_FIELDS}<button class="small">Register</button>
</form>
<% } %>
</section>
`);

export const renderApp =
  pageTemplate<AppPage>(`<% layout('@layout', { title: it.app.name, isWide: true, account: it.head }) %>
<h1><bdi><%= it.app.name %></bdi></h1>
<% if (it.confirmation) { %><p class="done" role="status"><%= it.confirmation %></p><% } %>
<% if (it.app.suspendedAt) { %><p class="warn" role="status">This app is suspended: its tokens have ended, and it gets no new ones. Contact the operator of this wallet.</p><% } %>
<% if (it.app.redirectUrls.length === 0) { %><p class="warn">This app has no redirect URL, so users cannot authorize it. Add one below.</p><% } %>
<% if (it.app.httpExpiresOn) { %><p class="warn" role="status">A redirect URL of this app uses http. It works until <%= it.app.httpExpiresOn %>. Replace it with an https URL.</p><% } %>
<section aria-labelledby="credentials-title">
<h2 id="credentials-title">Credentials</h2>
<dl>
<dt>client_id</dt><dd><code><%= it.app.clientId %></code></dd>
<dt>client_secret</dt><dd><% if (it.secret) { %><code><%= it.secret %></code><% } else if (it.app.secretSha256) { %>created<% if (it.secretCreatedOn) { %> on <%= it.secretCreatedOn %><% } %><% } else { %>none<% } %></dd>
<% if (it.app.formerSecretSha256) { %><dt>Former secret</dt><dd>still works<% if (it.formerSecretCreatedOn) { %>; created on <%= it.formerSecretCreatedOn %><% } %></dd>
<% } %></dl>
<% if (it.secretFault) { %><p class="warn" role="alert"><%= it.secretFault %></p>
<% } %><% if (it.secret) { %><p class="warn" role="status">Copy the secret now. You cannot see it again.</p><% } %>
<p class="soft">An app that runs on a server has a secret. An app that runs on users' devices has none and sends a code_challenge with every request.</p>
<% if (it.app.formerSecretSha256) { %><p class="soft">Both secrets work, so your servers can switch to the new one without a failed request. End the former secret when all servers use the new one, or right away if it has leaked. If you did not copy the new secret, end that one. You can create another secret once one of them has ended.</p>
<div class="acts">
${buttonForm('secret/end-former', 'End the former secret', 'small danger')}
${buttonForm('secret/end-newest', 'End the new secret', 'small danger')}
</div>
<% } else { %>${SECRET_FORM}
<% } %><% if (it.app.secretSha256 && !it.app.formerSecretSha256) { %><p class="soft">When you create a new secret, the current one keeps working until you end it here.</p>
<% } %></section>
<% if (it.app.redirectUrls.length > 0 && !it.app.suspendedAt) { %>
<section aria-labelledby="try-title">
<h2 id="try-title">Try it</h2>
<p>Send users to this URL, with the scopes that you need:</p>
<pre><%= it.publicUrl %>/v1/oauth/authorize?client_id=<%= it.app.clientId %>&amp;scope=${EXAMPLE_SCOPES}</pre>
<% if (it.token) { %>
<p>In the sandbox, no real money moves. This command pays the test user; the token works for 30 minutes:</p>
<pre>curl <%= it.publicUrl %>/sandbox/v1/payments \\
  -d access_token=<%= it.token %> \\
  -d user_id=${SANDBOX_TEST_USER.id} \\
  -d amount=0.10 \\
  -d note=Hello</pre>
<p class="soft">The token works only in the sandbox. Other endpoints return <code>invalid_token</code>.</p>
<% } else { %>
${buttonForm('token', 'Create a sandbox token', 'small')}
<% } %>
</section>
<% } %>
<section aria-labelledby="change-title">
<h2 id="change-title">Change this app</h2>
<form method="post" action="/developers/apps/<%= it.app.clientId %>">
${FORM_FIELDS}<button class="small">Save</button>
</form>
</section>
<section aria-labelledby="delete-title">
<h2 id="delete-title">Delete this app</h2>
<p class="soft">This revokes every token of the app. You cannot undo it.</p>
${buttonForm('delete', 'Delete this app', 'small danger')}
</section>
`);
