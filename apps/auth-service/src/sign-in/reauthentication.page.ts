import { pageTemplate } from '../pages/page-template.js';
import type { ReauthenticationRequired } from './reauthentication.guard.js';

/** Repeats the submitted form in hidden fields beside a password field. */
export const renderReauthentication = pageTemplate<
  Pick<ReauthenticationRequired, 'action' | 'fields' | 'username' | 'isWrong'>
>(`<% layout('@layout', { title: 'Confirm your password' }) %>
<h1>Confirm your password</h1>
<p>You signed in as <strong><%= it.username %></strong> some time ago. Enter your password to continue.</p>
<% if (it.isWrong) { %>
<p class="warn" role="alert">Wrong password. Try again.</p>
<% } %>
<form method="post" action="<%= it.action %>">
<% for (const [name, value] of it.fields) { %><input type="hidden" name="<%= name %>" value="<%= value %>">
<% } %><input type="hidden" name="username" value="<%= it.username %>" autocomplete="username">
<%~ include('@field', { label: 'Password', name: 'current_password', type: 'password', autocomplete: 'current-password', maxlength: 1024 }) %>
<button>Continue</button>
</form>
<p class="after soft"><a href="/account">Cancel and return to your account</a></p>
`);
