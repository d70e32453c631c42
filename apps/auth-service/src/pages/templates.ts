export const SIGN_IN = `<% layout('@layout', { title: 'Sign in' }) %>
<h1>Sign in</h1>
<p><bdi><strong><%= it.appName %></strong></bdi> asks for access to your wallet. Sign in to decide.</p>
<% if (it.isWrong) { %>
<p class="warn" role="alert">This name and password do not belong together. Check both and try again.</p>
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
<h1>Allow <bdi><%= it.appName %></bdi> into your wallet?</h1>
<form method="post" action="/v1/oauth/consent">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<input type="hidden" name="request" value="<%= it.requestId %>">
<fieldset class="choices">
<legend>It will be able to do what is ticked:</legend>
<% for (const { scope, words } of it.abilities) { %><label><input type="checkbox" name="scopes" value="<%= scope %>" checked> <%= words %></label>
<% } %></fieldset>
<% if (it.amountPerDay !== null) { %><%~ include('@field', { label: 'At most this much a day', name: 'amount_per_day', value: it.amountPerDay, hint: 'In dollars, such as 20 or 12.50: what it pays for you, and approves, within 24 hours. You can change it under Connected apps.', inputmode: 'decimal', maxlength: 40, isOptional: true }) %>
<% } %><dl>
<% if (it.alwaysShared) { %><dt>It receives</dt><dd><%= it.alwaysShared %></dd>
<% } %><dt>For</dt><dd><%= it.lifetime %></dd>
<dt>Made by</dt><dd><bdi><%= it.developer %></bdi></dd>
<dt>Its site</dt><dd><bdi><%= it.siteUrl %></bdi></dd>
<dt>Leads to</dt><dd><bdi><%= it.leadsTo %></bdi></dd>
</dl>
<p>You will return to <strong><bdi><%= it.returnsTo %></bdi></strong>.</p>
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

export const FAULTY_REQUEST = `<% layout('@layout', { title: 'This request cannot be served' }) %>
<h1>This request cannot be served</h1>
<p>An app at <strong><bdi><%= it.returnsTo %></bdi></strong> sent you here with a request that has a fault: <%= it.message %></p>
<p>Go back only if you came from there: <a href="<%= it.href %>" rel="noreferrer">Return to <bdi><%= it.returnsTo %></bdi></a></p>
<p class="soft">Code: <code><%= it.code %></code></p>
`;

export const PROBLEM = `<% layout('@layout', { title: it.title }) %>
<h1><%= it.title %></h1>
<p><%= it.message %></p>
<p><a href="/">Go to the start</a></p>
<p class="soft">Code: <code><%= it.code %></code></p>
`;

export const CALLBACK = `<% layout('@layout', { title: it.title, isWide: true }) %>
<h1><%= it.title %></h1>
<% if (it.token) { %>
<p>This is what an app receives at its redirect address. The token opens what you allowed, for 30 minutes:</p>
<pre><%= it.token %></pre>
<h2>Who am I?</h2>
<pre>curl <%= it.publicUrl %>/v1/me \\
  -H "Authorization: Bearer <%= it.token %>"</pre>
<h2>Pay bob a dime</h2>
<pre>curl <%= it.publicUrl %>/v1/payments \\
  -d access_token=<%= it.token %> \\
  -d user_id=<%= it.payeeId %> \\
  -d amount=0.10 \\
  -d note=Hello</pre>
<p class="soft">Whoever has the token can use it: do not pass it on. A call that needs a permission you did not give answers 403.</p>
<% } else if (it.error) { %>
<p>The app was not let in and received no token, but this error code:</p>
<pre><%= it.error %></pre>
<% } else { %>
<p>Apps are led here after you decide. There is nothing to show yet: begin with this link.</p>
<% } %>
<p><a class="button" href="<%= it.startPath %>">Ask for a token</a></p>
`;

export const HOME = `<% layout('@layout', { title: 'Pay people', isWide: true }) %>
<h1>A wallet for paying people</h1>
<p class="lead">Keep a balance, pay your friends, ask for money. Open source, behind one HTTP interface.</p>
<div class="doors">
<section aria-labelledby="people">
<h2 id="people">For people</h2>
<p>Your profile, your addresses, and your password. An app that wants to act for you sends you here to sign in, and says what it asks for; nothing happens before you allow it.</p>
<p class="choice"><a class="button quiet" href="/account">Sign in</a><a class="button" href="/account/sign-up">Sign up</a></p>
</section>
<section aria-labelledby="interface">
<h2 id="interface">For apps</h2>
<p>Everything is below <code><%= it.publicUrl %>/v1</code> and needs an access token:</p>
<pre>curl <%= it.publicUrl %>/v1/me \\
  -H "Authorization: Bearer …"</pre>
<p><a href="/docs">The reference</a>, and <a href="/openapi.json">the same for programs</a>.</p>
<% if (it.hasDevTools) { %><p>Messages that would be sent are shown in <a href="/dev/mailbox">the mailbox</a>.</p><% } %>
</section>
</div>
`;
