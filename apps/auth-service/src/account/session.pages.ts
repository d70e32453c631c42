import { pageTemplate } from '../pages/page-template.js';

export interface AccountSignInPage {
  readonly formToken: string;
  readonly returnTo: string;
  readonly signUpPath: string;
  /** The login of the previous attempt. */
  readonly login: string;
  readonly isWrong: boolean;
  readonly confirmation: string | null;
}

export const renderAccountSignIn = pageTemplate<AccountSignInPage>(`<% layout('@layout', { title: 'Sign in' }) %>
<h1>Sign in</h1>
<% if (it.confirmation) { %><p class="done" role="status"><%= it.confirmation %></p><% } %>
<% if (it.isWrong) { %>
<p class="warn" role="alert">Wrong username or password.</p>
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

export interface PasswordResetPage {
  readonly formToken: string;
  readonly fault: string | null;
  readonly typed: string;
}

export const renderPasswordReset =
  pageTemplate<PasswordResetPage>(`<% layout('@layout', { title: 'Choose a new password' }) %>
<h1>Choose a new password</h1>
<p>Enter a verified e-mail address of your account. If an account has this address, we send a code to it.</p>
<form method="post" action="/account/reset">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<%~ include('@field', { label: 'E-mail', name: 'email', type: 'email', value: it.typed, error: it.fault, autocomplete: 'email', maxlength: 254 }) %>
<button>Send a code</button>
</form>
<p class="after soft"><a href="/account/sign-in">Back to sign-in</a></p>
`);
