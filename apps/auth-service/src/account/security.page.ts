import type { AccountHead } from '../pages/navigation.js';
import { pageTemplate } from '../pages/page-template.js';

export interface SecurityPage {
  readonly head: AccountHead;
  readonly username: string;
  readonly faults: Partial<Record<'current_password' | 'password', string>>;
  readonly done: string | null;
  /** Whether the check box that ends the access of all apps is ticked. */
  readonly endsApps: boolean;
}

export const renderSecurity =
  pageTemplate<SecurityPage>(`<% layout('@layout', { title: 'Security', isWide: true, account: it.head }) %>
<h1>Security</h1>
<% if (it.done) { %><p class="done" role="status"><%= it.done %></p><% } %>
<section aria-labelledby="password-title">
<h2 id="password-title">Change your password</h2>
<p class="soft">This signs out all other browsers. <a href="/account/apps">See which apps have access to your account</a>.</p>
<form method="post" action="/account/password">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<input type="hidden" name="username" value="<%= it.username %>" autocomplete="username">
<%~ include('@field', { label: 'Password now', name: 'current_password', type: 'password', error: it.faults.current_password, autocomplete: 'current-password', maxlength: 1024 }) %>
<%~ include('@field', { label: 'New password', name: 'password', type: 'password', error: it.faults.password, hint: 'At least 8 characters; 15 or more are better.', autocomplete: 'new-password', maxlength: 1024 }) %>
<label><input type="checkbox" name="end_apps" value="yes"<% if (it.endsApps) { %> checked<% } %>> End the access of all apps. An app that you connect again asks for your consent.</label>
<button class="small">Change the password</button>
</form>
</section>
<section aria-labelledby="sessions-title">
<h2 id="sessions-title">Sign out everywhere</h2>
<p class="soft">Ends your sessions in all browsers, this one included.</p>
<form method="post" action="/account/sign-out-everywhere">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<button class="small danger">Sign out everywhere</button>
</form>
</section>
`);
