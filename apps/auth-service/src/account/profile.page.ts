import { AUDIENCES, type Account, type AddressKind } from '@settle/contracts';
import { form, oneOf, text, textArea, type FormOf } from '../http/form.js';
import { accountTemplate } from '../pages/account-template.js';

export const ProfileForm = form({
  first_name: text(200),
  last_name: text(200),
  about: textArea(2_000),
  default_audience: oneOf(AUDIENCES),
});

export type ProfileInput = Omit<FormOf<typeof ProfileForm>, 'form_token'>;

export interface ProfilePage {
  readonly account: Account;
  readonly picturePath: string;
  readonly typed: ProfileInput;
  readonly faults?: Partial<Record<keyof ProfileInput | AddressKind, string>>;
  /** The submitted new addresses. */
  readonly typedAddresses?: Partial<Record<AddressKind, string>>;
  /** Whether the password for an address change was wrong. */
  readonly isWrongPassword?: boolean;
  /** Whether the address to remove is not in the account. */
  readonly isUnknownAddress?: boolean;
  readonly hasDevTools: boolean;
}

const HEADING = `<% const { card } = it.account; %>
<div class="identity">
<img src="<%= it.picturePath %>" alt="" width="64" height="64">
<div>
<h1><bdi><%= card.displayName %></bdi></h1>
<p class="soft">@<%= card.username %> <% if (it.account.isVerified) { %><span class="tag">identity verified</span><% } else { %><span class="tag open">identity not verified</span><% } %></p>
</div>
</div>`;

const AUDIENCE_LABELS = `[
  ['private', 'Private'],
  ['friends', 'Friends'],
  ['public', 'Public'],
]`;

const ADD_ADDRESS_FORM = (kind: string, label: string, type: string, autocomplete: string) => `
<form method="post" action="/account/addresses/${kind}">
<input type="hidden" name="form_token" value="<%= it.user.formToken %>">
<%~ include('@field', { id: 'new-${kind}', label: '${label}', name: 'address', type: '${type}', value: it.typedAddresses?.${kind}, error: it.faults?.${kind}, autocomplete: '${autocomplete}', maxlength: 254 }) %>
<div class="field">
<label for="new-${kind}-password">Your password</label>
<div class="line">
<input id="new-${kind}-password" name="current_password" type="password" autocomplete="current-password" maxlength="1024" required>
<button class="small quiet">Send a code</button>
</div>
</div>
</form>`;

export const renderProfile = accountTemplate<ProfilePage>(
  { path: '/account', title: 'Your profile', heading: HEADING },
  `<section aria-labelledby="profile">
<h2 id="profile">Profile</h2>
<form method="post" action="/account">
<input type="hidden" name="form_token" value="<%= it.user.formToken %>">
<div class="pair">
<%~ include('@field', { label: 'First name', name: 'first_name', value: it.typed.first_name, error: it.faults?.first_name, autocomplete: 'given-name', maxlength: 60 }) %>
<%~ include('@field', { label: 'Last name', name: 'last_name', value: it.typed.last_name, error: it.faults?.last_name, autocomplete: 'family-name', maxlength: 60 }) %>
</div>
<div class="field">
<label for="about">About you <span class="soft">(optional)</span></label>
<textarea id="about" name="about" maxlength="500"<% if (it.faults?.about) { %> aria-invalid="true" aria-describedby="about-error"<% } %>>
<%= it.typed.about %></textarea>
<% if (it.faults?.about) { %><p class="error" id="about-error"><%= it.faults?.about %></p><% } %>
</div>
<fieldset class="choices" aria-describedby="audience">
<legend>Default audience of your payments</legend>
<p class="soft" id="audience">Apps see this label on the payment. Whatever the audience, only you and the other party can see the payment.</p>
<% for (const [value, label] of ${AUDIENCE_LABELS}) { %><label><input type="radio" name="default_audience" value="<%= value %>"<% if (value === it.typed.default_audience) { %> checked<% } %>><%= label %></label>
<% } %></fieldset>
<button class="small">Save</button>
</form>
</section>
<section aria-labelledby="addresses">
<h2 id="addresses">E-mail and phone</h2>
<p class="soft">You receive all money that is sent to a verified address, including money that was sent before you verified it. Changes require your password, and we notify all your addresses.</p>
<% if (it.isWrongPassword) { %><p class="warn" role="alert">Wrong password. Nothing was changed.</p><% } %>
<% if (it.isUnknownAddress) { %><p class="warn" role="alert">This address is not in your account. Nothing was changed.</p><% } %>
<ul>
<% for (const [index, { kind, value }] of it.account.addresses.entries()) { %><li class="row">
<span><bdi><%= value %></bdi> <span class="tag">verified</span></span>
<details>
<summary aria-label="Remove <%= value %>">Remove</summary>
<form method="post" action="/account/addresses/<%= kind %>/remove">
<input type="hidden" name="form_token" value="<%= it.user.formToken %>">
<input type="hidden" name="address" value="<%= value %>">
<label for="remove-<%= index %>-password">Your password</label>
<div class="line">
<input id="remove-<%= index %>-password" name="current_password" type="password" autocomplete="current-password" maxlength="1024" required>
<button class="small danger" aria-label="Remove <%= value %>">Remove</button>
</div>
</form>
</details>
</li>
<% } %></ul>
${ADD_ADDRESS_FORM('email', 'Add an e-mail address', 'email', 'email')}
${ADD_ADDRESS_FORM('phone', 'Add a US phone number', 'tel', 'tel')}
<% if (!it.account.isVerified) { %><p class="soft"><% if (it.hasDevTools) { %>Your identity is verified once you verify both an e-mail address and a phone number.<% } else { %>The operator of this server verifies your identity. After that, you can register apps.<% } %></p><% } %>
</section>
`,
);
