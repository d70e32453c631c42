import type { Account, AddressKind } from '@settle/contracts';
import type { AccountHead } from '../pages/navigation.js';
import { pageTemplate } from '../pages/page-template.js';

export interface TypedProfile {
  readonly first_name: string;
  readonly last_name: string;
  readonly about: string;
  readonly default_audience: string;
}

export interface ProfilePage {
  readonly head: AccountHead;
  readonly account: Account;
  readonly picturePath: string;
  readonly typed: TypedProfile;
  readonly faults: Partial<Record<keyof TypedProfile | 'email' | 'phone', string>>;
  /** What was typed as new addresses. */
  readonly typedAddresses: Partial<Record<AddressKind, string>>;
  /** The password that a change of addresses asks for. */
  readonly isWrongPassword: boolean;
  /** What has just been done; null: nothing. */
  readonly done: string | null;
  readonly hasDevTools: boolean;
}

const AUDIENCES = `[
  ['private', 'Private'],
  ['friends', 'Friends'],
  ['public', 'Public'],
]`;

const ADD_ADDRESS = (kind: string, label: string, type: string, autocomplete: string) => `
<form method="post" action="/account/addresses/${kind}">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<div class="field">
<label for="new-${kind}">${label}</label>
<input id="new-${kind}" name="address" type="${type}" autocomplete="${autocomplete}" maxlength="254" required value="<%= it.typedAddresses.${kind} ?? '' %>"<% if (it.faults.${kind}) { %> aria-invalid="true" aria-describedby="new-${kind}-error"<% } %>>
<% if (it.faults.${kind}) { %><p class="error" id="new-${kind}-error"><%= it.faults.${kind} %></p><% } %>
</div>
<div class="field">
<label for="new-${kind}-password">Your password</label>
<div class="line">
<input id="new-${kind}-password" name="current_password" type="password" autocomplete="current-password" maxlength="1024" required>
<button class="small quiet">Send a code</button>
</div>
</div>
</form>`;

export const renderProfile =
  pageTemplate<ProfilePage>(`<% layout('@layout', { title: 'Your profile', isWide: true, account: it.head }) %>
<% const { card } = it.account; const token = it.head.formToken; %>
<div class="who">
<img src="<%= it.picturePath %>" alt="" width="64" height="64">
<div>
<h1><bdi><%= card.displayName %></bdi></h1>
<p class="soft">@<%= card.username %> <% if (it.account.isVerified) { %><span class="tag">identity verified</span><% } else { %><span class="tag open">identity not verified</span><% } %></p>
</div>
</div>
<% if (it.done) { %><p class="done" role="status"><%= it.done %></p><% } %>
<section aria-labelledby="profile">
<h2 id="profile">Profile</h2>
<form method="post" action="/account">
<input type="hidden" name="form_token" value="<%= token %>">
<div class="pair">
<%~ include('@field', { label: 'First name', name: 'first_name', value: it.typed.first_name, error: it.faults.first_name, autocomplete: 'given-name', maxlength: 60 }) %>
<%~ include('@field', { label: 'Last name', name: 'last_name', value: it.typed.last_name, error: it.faults.last_name, autocomplete: 'family-name', maxlength: 60 }) %>
</div>
<div class="field">
<label for="about">About you <span class="soft">(optional)</span></label>
<textarea id="about" name="about" maxlength="500"<% if (it.faults.about) { %> aria-invalid="true" aria-describedby="about-error"<% } %>>
<%= it.typed.about %></textarea>
<% if (it.faults.about) { %><p class="error" id="about-error"><%= it.faults.about %></p><% } %>
</div>
<fieldset class="choices" aria-describedby="audience">
<legend>Audience of your payments, unless you choose another</legend>
<p class="soft" id="audience">A label that apps see on the payment. Only you and the other party can read a payment, whatever its audience.</p>
<% for (const [value, words] of ${AUDIENCES}) { %><label><input type="radio" name="default_audience" value="<%= value %>"<% if (value === it.typed.default_audience) { %> checked<% } %>><%= words %></label>
<% } %></fieldset>
<button class="small">Save</button>
</form>
</section>
<section aria-labelledby="addresses">
<h2 id="addresses">E-mail and phone</h2>
<p class="soft">Whatever is sent to an address that you have proven is yours, also what was sent before. A change asks for your password, and is told to all of them.</p>
<% if (it.isWrongPassword) { %><p class="warn" role="alert">This is not your password, so nothing was changed. Try again.</p><% } %>
<ul>
<% for (const [at, { kind, value }] of it.account.addresses.entries()) { %><li class="row">
<span><bdi><%= value %></bdi> <span class="tag">proven</span></span>
<details>
<summary aria-label="Remove <%= value %>">Remove</summary>
<form method="post" action="/account/addresses/<%= kind %>/remove">
<input type="hidden" name="form_token" value="<%= token %>">
<input type="hidden" name="address" value="<%= value %>">
<label for="remove-<%= at %>-password">Your password</label>
<div class="line">
<input id="remove-<%= at %>-password" name="current_password" type="password" autocomplete="current-password" maxlength="1024" required>
<button class="small danger" aria-label="Remove <%= value %>">Remove</button>
</div>
</form>
</details>
</li>
<% } %></ul>
${ADD_ADDRESS('email', 'Another e-mail', 'email', 'email')}
${ADD_ADDRESS('phone', 'Another US phone', 'tel', 'tel')}
<% if (!it.account.isVerified) { %><p class="soft"><% if (it.hasDevTools) { %>Your identity counts as verified once you have proven both an e-mail address and a phone number.<% } else { %>Your identity is verified by the people who run this server. Apps can be registered after that.<% } %></p><% } %>
</section>
`);
