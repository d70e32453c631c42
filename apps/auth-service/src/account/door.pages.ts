import { pageTemplate } from '../pages/page-template.js';

export interface AccountSignInPage {
  readonly formToken: string;
  readonly returnTo: string;
  readonly signUpPath: string;
  /** What was typed before. */
  readonly login: string;
  readonly isWrong: boolean;
  readonly done: string | null;
}

export const renderAccountSignIn = pageTemplate<AccountSignInPage>(`<% layout('@layout', { title: 'Sign in' }) %>
<h1>Sign in</h1>
<% if (it.done) { %><p class="done" role="status"><%= it.done %></p><% } %>
<% if (it.isWrong) { %>
<p class="warn" role="alert">This name and password do not belong together. Check both and try again.</p>
<% } %>
<form method="post" action="/account/sign-in">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<input type="hidden" name="return_to" value="<%= it.returnTo %>">
<%~ include('@field', { label: 'Username, e-mail or phone', name: 'username', value: it.login, autocomplete: 'username', isVerbatim: true }) %>
<%~ include('@field', { label: 'Password', name: 'password', type: 'password', autocomplete: 'current-password', maxlength: 1024 }) %>
<button>Sign in</button>
</form>
<p class="after soft"><a href="<%= it.signUpPath %>">Create an account</a> · <a href="/account/reset">Forgot your password?</a></p>
`);

export interface ResetPage {
  readonly formToken: string;
  readonly fault: string | null;
  readonly typed: string;
}

export const renderReset = pageTemplate<ResetPage>(`<% layout('@layout', { title: 'Choose a new password' }) %>
<h1>Choose a new password</h1>
<p>Tell us an e-mail address that you have proven. If it has an account, we send a code there.</p>
<form method="post" action="/account/reset">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<%~ include('@field', { label: 'E-mail', name: 'email', type: 'email', value: it.typed, error: it.fault, autocomplete: 'email', maxlength: 254 }) %>
<button>Send a code</button>
</form>
<p class="after soft"><a href="/account/sign-in">Back to signing in</a></p>
`);
