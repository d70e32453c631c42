import { pageTemplate } from '../pages/page-template.js';
import type { Faults, TypedSignUp } from './sign-up-rules.js';

export interface SignUpPage {
  readonly formToken: string;
  /** A path of ours. */
  readonly returnTo: string;
  readonly signInPath: string;
  readonly typed: Partial<TypedSignUp>;
  readonly faults: Faults<TypedSignUp>;
}

export const renderSignUp = pageTemplate<SignUpPage>(`<% layout('@layout', { title: 'Sign up' }) %>
<h1>Create your account</h1>
<% if (Object.keys(it.faults).length > 0) { %><p class="warn" role="alert">Something is not right yet: see below.</p><% } %>
<form method="post" action="/account/sign-up">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<input type="hidden" name="return_to" value="<%= it.returnTo %>">
<div class="pair">
<%~ include('@field', { label: 'First name', name: 'first_name', value: it.typed.first_name, error: it.faults.first_name, autocomplete: 'given-name', maxlength: 60 }) %>
<%~ include('@field', { label: 'Last name', name: 'last_name', value: it.typed.last_name, error: it.faults.last_name, autocomplete: 'family-name', maxlength: 60 }) %>
</div>
<%~ include('@field', { label: 'Username', name: 'username', value: it.typed.username, error: it.faults.username, hint: 'Everybody can see it, and it stays as it is.', autocomplete: 'username', maxlength: 30, isVerbatim: true }) %>
<%~ include('@field', { label: 'E-mail', name: 'email', type: 'email', value: it.typed.email, error: it.faults.email, hint: 'We send a code there.', autocomplete: 'email', maxlength: 254 }) %>
<%~ include('@field', { label: 'US phone', name: 'phone', type: 'tel', value: it.typed.phone, error: it.faults.phone, hint: 'So that friends can pay you by its number.', autocomplete: 'tel', maxlength: 32, isOptional: true }) %>
<%~ include('@field', { label: 'Password', name: 'password', type: 'password', error: it.faults.password, hint: 'At least 8 characters; 15 or more are better.', autocomplete: 'new-password', maxlength: 1024 }) %>
<button>Sign up</button>
</form>
<p class="after soft">You have an account? <a href="<%= it.signInPath %>">Sign in</a></p>
`);

export interface CodePage {
  readonly title: string;
  readonly formToken: string;
  /** Whom the code was sent to; null: that is not told, and a new code is asked for elsewhere. */
  readonly to: string | null;
  /** Where the typed code goes; a new one is asked for below it, at `again`. */
  readonly action: string;
  /** A path of ours; absent: it is kept with what waits for the code. */
  readonly returnTo?: string;
  readonly isWrong: boolean;
  /** What to do instead. */
  readonly elsewhere: { readonly path: string; readonly words: string };
  /** Set where the same form takes a new password. */
  readonly password?: { readonly fault: string | null };
}

export const renderCode = pageTemplate<CodePage>(`<% layout('@layout', { title: it.title }) %>
<% const query = it.returnTo ? '?return_to=' + encodeURIComponent(it.returnTo) : ''; %>
<h1><%= it.title %></h1>
<p>A message <% if (it.to) { %>to <strong><bdi><%= it.to %></bdi></strong><% } else { %>to the address, if it has an account,<% } %> is on its way. The code in it holds for 10 minutes, and only in this browser.</p>
<% if (it.isWrong) { %><p class="warn" role="alert">This is not the code, or it is too old, or was tried too often. Try again, or let a new one be sent.</p><% } %>
<form method="post" action="<%= it.action + query %>">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<div class="field">
<label for="code">Code</label>
<input class="code" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required<% if (it.isWrong) { %> aria-invalid="true"<% } %>>
</div>
<% if (it.password) { %><%~ include('@field', { label: 'New password', name: 'password', type: 'password', error: it.password.fault, hint: 'At least 8 characters; 15 or more are better.', autocomplete: 'new-password', maxlength: 1024 }) %><% } %>
<button>Go on</button>
</form>
<% if (it.to) { %><form class="after soft" method="post" action="<%= it.action + '/again' + query %>">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<p>Nothing came?</p>
<button class="link">Send a new code</button>
<p>or <a href="<%= it.elsewhere.path %>"><%= it.elsewhere.words %></a></p>
</form>
<% } else { %><p class="after soft">Nothing came? <a href="<%= it.elsewhere.path %>"><%= it.elsewhere.words %></a></p>
<% } %>`);
