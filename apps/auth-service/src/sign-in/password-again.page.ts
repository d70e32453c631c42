import { pageTemplate } from '../pages/page-template.js';
import type { PasswordAgain } from './password-again.guard.js';

/** The form as it was sent, hidden, and the password beside it. */
export const renderPasswordAgain = pageTemplate<
  Pick<PasswordAgain, 'action' | 'fields' | 'username' | 'isWrong'>
>(`<% layout('@layout', { title: 'Type your password again' }) %>
<h1>Type your password again</h1>
<p>You signed in as <strong><%= it.username %></strong> some time ago. Type your password to go on with what you sent.</p>
<% if (it.isWrong) { %>
<p class="warn" role="alert">This is not your password. Try again.</p>
<% } %>
<form method="post" action="<%= it.action %>">
<% for (const [name, value] of it.fields) { %><input type="hidden" name="<%= name %>" value="<%= value %>">
<% } %><input type="hidden" name="username" value="<%= it.username %>" autocomplete="username">
<%~ include('@field', { label: 'Password', name: 'current_password', type: 'password', autocomplete: 'current-password', maxlength: 1024 }) %>
<button>Go on</button>
</form>
<p class="after soft"><a href="/account">Back to your account, without it</a></p>
`);
