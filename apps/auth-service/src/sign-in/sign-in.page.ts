import { pageTemplate } from '../pages/page-template.js';

export interface SignInPage {
  /** The app that wants access; absent: the user signs in to the account pages. */
  readonly appName?: string;
  readonly formToken: string;
  readonly action: string;
  /** A local path; absent: the action contains it. */
  readonly returnTo?: string;
  readonly signUpPath: string;
  /** The login of the previous attempt. */
  readonly login?: string;
  readonly isWrong?: boolean;
  readonly confirmation?: string | null;
}

export const renderSignIn = pageTemplate<SignInPage>(`<% layout('@layout', { title: 'Sign in' }) %>
<h1>Sign in</h1>
<% if (it.appName !== undefined) { %><p><bdi><strong><%= it.appName %></strong></bdi> wants to access your wallet. Sign in to continue.</p><% } %>
<% if (it.confirmation) { %><p class="done" role="status"><%= it.confirmation %></p><% } %>
<% if (it.isWrong) { %>
<p class="warn" role="alert">Wrong username or password.</p>
<% } %>
<form method="post" action="<%= it.action %>">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<% if (it.returnTo !== undefined) { %><input type="hidden" name="return_to" value="<%= it.returnTo %>"><% } %>
<%~ include('@field', { label: 'Username, e-mail or phone', name: 'username', value: it.login, autocomplete: 'username', isVerbatim: true }) %>
<%~ include('@field', { label: 'Password', name: 'password', type: 'password', autocomplete: 'current-password', maxlength: 1024 }) %>
<button>Sign in</button>
</form>
<p class="after soft"><% if (it.appName !== undefined) { %>New here? <% } %><a href="<%= it.signUpPath %>">Create an account</a> · <a href="/account/reset">Forgot your password?</a></p>
`);
