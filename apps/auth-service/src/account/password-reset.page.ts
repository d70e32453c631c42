import { pageTemplate } from '../pages/page-template.js';

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
