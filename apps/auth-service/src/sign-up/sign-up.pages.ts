import { form, text } from '../http/form.js';
import { page, type PageResponse } from '../http/page-response.js';
import { pageTemplate } from '../pages/page-template.js';
import type { Faults, TypedSignUp } from './sign-up-rules.js';

export interface SignUpPage {
  readonly formToken: string;
  /** A local path. */
  readonly returnTo: string;
  readonly signInPath: string;
  readonly typed?: Partial<TypedSignUp>;
  readonly faults?: Faults<TypedSignUp>;
}

export const renderSignUp = pageTemplate<SignUpPage>(`<% layout('@layout', { title: 'Sign up' }) %>
<h1>Create your account</h1>
<% if (it.faults) { %><p class="warn" role="alert">Please correct the fields below.</p><% } %>
<form method="post" action="/account/sign-up">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<input type="hidden" name="return_to" value="<%= it.returnTo %>">
<div class="pair">
<%~ include('@field', { label: 'First name', name: 'first_name', value: it.typed?.first_name, error: it.faults?.first_name, autocomplete: 'given-name', maxlength: 60 }) %>
<%~ include('@field', { label: 'Last name', name: 'last_name', value: it.typed?.last_name, error: it.faults?.last_name, autocomplete: 'family-name', maxlength: 60 }) %>
</div>
<%~ include('@field', { label: 'Username', name: 'username', value: it.typed?.username, error: it.faults?.username, hint: 'It is public and cannot be changed later.', autocomplete: 'username', maxlength: 30, isVerbatim: true }) %>
<%~ include('@field', { label: 'E-mail', name: 'email', type: 'email', value: it.typed?.email, error: it.faults?.email, hint: 'We will send you a code.', autocomplete: 'email', maxlength: 254 }) %>
<%~ include('@field', { label: 'US phone', name: 'phone', type: 'tel', value: it.typed?.phone, error: it.faults?.phone, hint: 'Friends can pay you at this number.', autocomplete: 'tel', maxlength: 32, isOptional: true }) %>
<%~ include('@field', { label: 'Password', name: 'password', type: 'password', error: it.faults?.password, hint: 'At least 8 characters; 15 or more are better.', autocomplete: 'new-password', maxlength: 1024 }) %>
<button>Sign up</button>
</form>
<p class="after soft">Already have an account? <a href="<%= it.signInPath %>">Sign in</a></p>
`);

/** The form with a verification code. */
export const CodeForm = form({ code: text(32) });

interface CodePage {
  readonly title: string;
  readonly formToken: string;
  /** The recipient of the code; null: not disclosed, and a new code is requested on another page. */
  readonly to: string | null;
  /** The path to which the code is posted; `/again` below it sends a new one. */
  readonly action: string;
  /** A local path; absent: stored with the pending sign-up or reset. */
  readonly returnTo?: string;
  readonly isWrong: boolean;
  /** The link to an alternative. */
  readonly elsewhere: { readonly path: string; readonly words: string };
  /** Present if the same form also sets a new password. */
  readonly password?: { readonly fault?: string | undefined };
}

/** Returns the page that asks for a code. */
export function codePage(content: CodePage): PageResponse {
  const isRefused = content.isWrong || content.password?.fault !== undefined;
  return page(renderCode(content), { status: isRefused ? 400 : 200 });
}

const renderCode = pageTemplate<CodePage>(`<% layout('@layout', { title: it.title }) %>
<% const query = it.returnTo ? '?return_to=' + encodeURIComponent(it.returnTo) : ''; %>
<h1><%= it.title %></h1>
<p>We sent a message <% if (it.to) { %>to <strong><bdi><%= it.to %></bdi></strong><% } else { %>to the address, if it has an account<% } %>. The code in it is valid for 10 minutes, and only in this browser.</p>
<% if (it.isWrong) { %><p class="warn" role="alert">The code is wrong or has expired, or there were too many attempts. Try again, or request a new code.</p><% } %>
<form method="post" action="<%= it.action + query %>">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<div class="field">
<label for="code">Code</label>
<input class="code" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required<% if (it.isWrong) { %> aria-invalid="true"<% } %>>
</div>
<% if (it.password) { %><%~ include('@field', { label: 'New password', name: 'password', type: 'password', error: it.password.fault, hint: 'At least 8 characters; 15 or more are better.', autocomplete: 'new-password', maxlength: 1024 }) %><% } %>
<button>Continue</button>
</form>
<% if (it.to) { %><form class="after soft" method="post" action="<%= it.action + '/again' + query %>">
<input type="hidden" name="form_token" value="<%= it.formToken %>">
<p>Did not receive a code?</p>
<button class="link">Send a new code</button>
<p>or <a href="<%= it.elsewhere.path %>"><%= it.elsewhere.words %></a></p>
</form>
<% } else { %><p class="after soft">Did not receive a code? <a href="<%= it.elsewhere.path %>"><%= it.elsewhere.words %></a></p>
<% } %>`);
