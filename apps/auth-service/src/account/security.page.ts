import type { AccountHead } from '../pages/navigation.js';
import { pageTemplate } from '../pages/page-template.js';

export interface SecurityPage {
  readonly head: AccountHead;
  readonly username: string;
  readonly faults: Partial<Record<'current_password' | 'password', string>>;
  readonly done: string | null;
}

export const renderSecurity =
  pageTemplate<SecurityPage>(`<% layout('@layout', { title: 'Security', isWide: true, account: it.head }) %>
<h1>Security</h1>
<% if (it.done) { %><p class="done" role="status"><%= it.done %></p><% } %>
<section aria-labelledby="password-title">
<h2 id="password-title">Change your password</h2>
<p class="soft">Whoever is signed in elsewhere is signed out. Apps that you let in stay in: <a href="/account/apps">look through them</a>.</p>
<form method="post" action="/account/password">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<input type="hidden" name="username" value="<%= it.username %>" autocomplete="username">
<%~ include('@field', { label: 'Password now', name: 'current_password', type: 'password', error: it.faults.current_password, autocomplete: 'current-password', maxlength: 1024 }) %>
<%~ include('@field', { label: 'New password', name: 'password', type: 'password', error: it.faults.password, hint: 'At least 8 characters; 15 or more are better.', autocomplete: 'new-password', maxlength: 1024 }) %>
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
