import { accountTemplate } from '../pages/account-template.js';

export interface SecurityPage {
  readonly faults?: Partial<Record<'current_password' | 'password', string>>;
  /** Whether the checkbox that disconnects all apps is checked; by default it is. */
  readonly disconnectsApps?: boolean;
}

export const renderSecurity = accountTemplate<SecurityPage>(
  { path: '/account/security', title: 'Security' },
  `<section aria-labelledby="password-title">
<h2 id="password-title">Change your password</h2>
<p class="soft">Changing your password signs out all other browsers. <a href="/account/apps">See which apps have access to your account</a>.</p>
<form method="post" action="/account/password">
<input type="hidden" name="form_token" value="<%= it.user.formToken %>">
<input type="hidden" name="username" value="<%= it.user.username %>" autocomplete="username">
<%~ include('@field', { label: 'Current password', name: 'current_password', type: 'password', error: it.faults?.current_password, autocomplete: 'current-password', maxlength: 1024 }) %>
<%~ include('@field', { label: 'New password', name: 'password', type: 'password', error: it.faults?.password, hint: 'At least 8 characters; 15 or more are better.', autocomplete: 'new-password', maxlength: 1024 }) %>
<label><input type="checkbox" name="end_apps" value="yes"<% if (it.disconnectsApps ?? true) { %> checked<% } %>> Disconnect all apps. An app needs your consent to connect again.</label>
<button class="small">Change password</button>
</form>
</section>
<section aria-labelledby="sessions-title">
<h2 id="sessions-title">Sign out everywhere</h2>
<p class="soft">Ends your sessions in all browsers, including this one.</p>
<form method="post" action="/account/sign-out-everywhere">
<input type="hidden" name="form_token" value="<%= it.user.formToken %>">
<button class="small danger">Sign out everywhere</button>
</form>
</section>
`,
);
