import { pageTemplate } from '../pages/page-template.js';

export interface CallbackPage {
  readonly title: string;
  readonly token: string | null;
  readonly error: string | null;
  readonly publicUrl: string;
  readonly payeeId: string;
  readonly startPath: string;
}

export const renderCallback = pageTemplate<CallbackPage>(`<% layout('@layout', { title: it.title, isWide: true }) %>
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
`);
