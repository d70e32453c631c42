import { pageTemplate } from '../pages/page-template.js';

export interface ConsentPage {
  readonly appName: string;
  /** Why the page is shown again, or null when it is shown first. */
  readonly notice: string | null;
  /** The permissions of each requested scope. */
  readonly abilities: readonly { readonly scope: string; readonly description: string; readonly isSelected: boolean }[];
  /** The data that the app always receives, or null for none. */
  readonly alwaysShared: string | null;
  readonly lifetime: string;
  /** The name of the developer. */
  readonly developer: string;
  readonly siteHost: string;
  /** The host of the redirect URI. */
  readonly redirectHost: string;
  readonly redirectUri: string;
  /** The daily limit in dollars as stored or entered, empty for no limit. Null if the app does not request payments. */
  readonly amountPerDay: string | null;
  readonly username: string;
  readonly formToken: string;
  readonly requestId: string;
  readonly query: string;
}

/**
 * The button that browsers press when the user presses Enter in a field: the first one of the form. It shows the page
 * again, so that Enter neither denies the request nor allows it. Only the Enter key reaches it.
 */
const ENTER_BUTTON =
  '<button class="hidden" name="decision" value="none" tabindex="-1" aria-hidden="true">Show this page again</button>';

export const renderConsent = pageTemplate<ConsentPage>(`<% layout('@layout', { title: 'Allow access?' }) %>
<h1>Allow <bdi><%= it.appName %></bdi> to access your wallet?</h1>
<% if (it.notice) { %><p class="warn" role="alert"><%= it.notice %></p>
<% } %><form method="post" action="/v1/oauth/consent">
${ENTER_BUTTON}
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<input type="hidden" name="request" value="<%= it.requestId %>">
<fieldset class="choices">
<legend>Select what the app can do:</legend>
<% for (const { scope, description, isSelected } of it.abilities) { %><label><input type="checkbox" name="scopes" value="<%= scope %>"<% if (isSelected) { %> checked<% } %>> <%= description %></label>
<% } %></fieldset>
<% if (it.amountPerDay !== null) { %><%~ include('@field', { label: 'Daily limit', name: 'amount_per_day', value: it.amountPerDay, hint: 'In dollars, such as 20 or 12.50. The limit covers what the app pays and approves for you within 24 hours. You can change it under Connected apps.', inputmode: 'decimal', maxlength: 40, isOptional: true }) %>
<% } %><dl>
<% if (it.alwaysShared) { %><dt>Always shared</dt><dd><%= it.alwaysShared %></dd>
<% } %><dt>Duration</dt><dd><%= it.lifetime %></dd>
<dt>Developer</dt><dd><bdi><%= it.developer %></bdi></dd>
<dt>Website</dt><dd><bdi><%= it.siteHost %></bdi></dd>
<dt>Redirects to</dt><dd><bdi><%= it.redirectUri %></bdi></dd>
</dl>
<p>You will return to <strong><bdi><%= it.redirectHost %></bdi></strong>.</p>
<div class="choice">
<button class="quiet" name="decision" value="deny">Deny</button>
<button name="decision" value="allow">Allow</button>
</div>
</form>
<form class="after soft" method="post" action="/v1/oauth/sign-out?<%= it.query %>">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<p>You are signed in as <strong><%= it.username %></strong>.</p>
<button class="link">Not you?</button>
</form>
`);

export interface InvalidRequestPage {
  readonly message: string;
  readonly code: string;
  /** The host of the redirect URI. */
  readonly redirectHost: string;
  /** The redirect URI with the error. */
  readonly href: string;
}

export const renderInvalidRequest =
  pageTemplate<InvalidRequestPage>(`<% layout('@layout', { title: 'This request is invalid' }) %>
<h1>This request is invalid</h1>
<p>An app at <strong><bdi><%= it.redirectHost %></bdi></strong> sent you here with an invalid request: <%= it.message %></p>
<p>Go back only if you came from that app: <a href="<%= it.href %>" rel="noreferrer">Return to <bdi><%= it.redirectHost %></bdi></a></p>
<p class="soft">Code: <code><%= it.code %></code></p>
`);
