export const SIGN_IN = `<% layout('@layout', { title: 'Sign in' }) %>
<h1>Sign in</h1>
<p><bdi><strong><%= it.appName %></strong></bdi> wants to access your wallet. Sign in to continue.</p>
<% if (it.isWrong) { %>
<p class="warn" role="alert">Wrong username or password.</p>
<% } %>
<form method="post" action="/v1/oauth/sign-in?<%= it.query %>">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<%~ include('@field', { label: 'Username, e-mail or phone', name: 'username', value: it.login, autocomplete: 'username', isVerbatim: true }) %>
<%~ include('@field', { label: 'Password', name: 'password', type: 'password', autocomplete: 'current-password', maxlength: 1024 }) %>
<button>Sign in</button>
</form>
<p class="after soft">New here? <a href="/account/sign-up?return_to=<%= encodeURIComponent('/v1/oauth/authorize?' + it.query) %>">Create an account</a> · <a href="/account/reset">Forgot your password?</a></p>
`;

export const CONSENT = `<% layout('@layout', { title: 'Allow access?' }) %>
<h1>Allow <bdi><%= it.appName %></bdi> to access your wallet?</h1>
<form method="post" action="/v1/oauth/consent">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<input type="hidden" name="request" value="<%= it.requestId %>">
<fieldset class="choices">
<legend>Select what the app can do:</legend>
<% for (const { scope, description } of it.abilities) { %><label><input type="checkbox" name="scopes" value="<%= scope %>" checked> <%= description %></label>
<% } %></fieldset>
<% if (it.amountPerDay !== null) { %><%~ include('@field', { label: 'Daily limit', name: 'amount_per_day', value: it.amountPerDay, hint: 'In dollars, such as 20 or 12.50. The limit covers what the app pays and approves for you within 24 hours. You can change it under Connected apps.', inputmode: 'decimal', maxlength: 40, isOptional: true }) %>
<% } %><dl>
<% if (it.alwaysShared) { %><dt>Always shared</dt><dd><%= it.alwaysShared %></dd>
<% } %><dt>Duration</dt><dd><%= it.lifetime %></dd>
<dt>Developer</dt><dd><bdi><%= it.developer %></bdi></dd>
<dt>Website</dt><dd><bdi><%= it.siteUrl %></bdi></dd>
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
`;

export const INVALID_REQUEST = `<% layout('@layout', { title: 'This request is invalid' }) %>
<h1>This request is invalid</h1>
<p>An app at <strong><bdi><%= it.redirectHost %></bdi></strong> sent you here with an invalid request: <%= it.message %></p>
<p>Go back only if you came from that app: <a href="<%= it.href %>" rel="noreferrer">Return to <bdi><%= it.redirectHost %></bdi></a></p>
<p class="soft">Code: <code><%= it.code %></code></p>
`;

export const PROBLEM = `<% layout('@layout', { title: it.title }) %>
<h1><%= it.title %></h1>
<p><%= it.message %></p>
<p><a href="/">Go to the start page</a></p>
<p class="soft">Code: <code><%= it.code %></code></p>
`;

export const CALLBACK = `<% layout('@layout', { title: it.title, isWide: true }) %>
<h1><%= it.title %></h1>
<% if (it.token) { %>
<p>This is what an app receives at its redirect URI. The token grants what you allowed, for 30 minutes:</p>
<pre><%= it.token %></pre>
<h2>Who am I?</h2>
<pre>curl <%= it.publicUrl %>/v1/me \\
  -H "Authorization: Bearer <%= it.token %>"</pre>
<h2>Pay bob 10 cents</h2>
<pre>curl <%= it.publicUrl %>/v1/payments \\
  -d access_token=<%= it.token %> \\
  -d user_id=<%= it.payeeId %> \\
  -d amount=0.10 \\
  -d note=Hello</pre>
<p class="soft">Every holder of the token can use it, so do not share it. A call that needs a permission you did not grant returns 403.</p>
<% } else if (it.error) { %>
<p>The app received no token, only this error code:</p>
<pre><%= it.error %></pre>
<% } else { %>
<p>This is where the demo app receives its response. Request a token to see one.</p>
<% } %>
<p><a class="button" href="<%= it.startPath %>">Request a token</a></p>
`;

export const HOME = `<% layout('@layout', { title: 'Pay your friends', isWide: true }) %>
<h1>A wallet for paying friends</h1>
<p class="lead">Keep a balance, pay your friends, request money. Open source, with one HTTP API.</p>
<div class="panels">
<section aria-labelledby="users">
<h2 id="users">For users</h2>
<p>Manage your profile, your addresses, and your password. An app that wants to act for you sends you here to sign in and see what it requests. Nothing happens until you allow it.</p>
<p class="choice"><a class="button quiet" href="/account">Sign in</a><a class="button" href="/account/sign-up">Sign up</a></p>
</section>
<section aria-labelledby="apps">
<h2 id="apps">For apps</h2>
<p>The API is at <code><%= it.publicUrl %>/v1</code> and requires an access token:</p>
<pre>curl <%= it.publicUrl %>/v1/me \\
  -H "Authorization: Bearer …"</pre>
<p>Read <a href="/docs">the reference</a> or download <a href="/openapi.json">the OpenAPI document</a>.</p>
<% if (it.hasDevTools) { %><p>Messages to users appear in <a href="/dev/mailbox">the mailbox</a>.</p><% } %>
</section>
</div>
`;
