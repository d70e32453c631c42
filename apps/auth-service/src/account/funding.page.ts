import type { Account } from '@settle/contracts';
import { accountTemplate } from '../pages/account-template.js';
import type { CardFaults } from './card-faults.js';

export interface FundingPage {
  readonly source: Account['fundingSource'];
  /** Why the user cannot add a card, or null if they can. */
  readonly unavailableReason: string | null;
  readonly faults?: CardFaults;
}

/** Never repeats submitted values. Autocomplete is off, because the cards that browsers store are real. */
export const renderFunding = accountTemplate<FundingPage>(
  { path: '/account/funding', title: 'Cards' },
  `<section aria-labelledby="source-title">
<h2 id="source-title">Your card</h2>
<p class="soft">If your balance does not cover a payment, your card pays the whole payment.</p>
<% if (it.source) { %><ul><li class="row">
<span>Card<% if (it.source.lastFour) { %> ending in <strong><%= it.source.lastFour %></strong><% } %></span>
<form method="post" action="/account/funding/remove">
<input type="hidden" name="form_token" value="<%= it.user.formToken %>">
<button class="link">Remove</button>
</form>
</li></ul><% } else { %><p>You have no card. Payments that exceed your balance fail.</p><% } %>
</section>
<section aria-labelledby="card-title">
<h2 id="card-title"><%= it.source ? 'Replace your card' : 'Add a card' %></h2>
<% if (it.unavailableReason) { %><p class="warn"><%= it.unavailableReason %></p>
<% } else { %>
<p class="soft">Use a test number, never a real card. Your first test card comes with 100 dollars of test money.</p>
<dl>
<dt>4242 4242 4242 4242</dt><dd>accepts payments</dd>
<dt>4000 0000 0000 0341</dt><dd>declines payments</dd>
<dt>4000 0000 0000 0002</dt><dd>is declined when you add it</dd>
</dl>
<form method="post" action="/account/funding" autocomplete="off">
<input type="hidden" name="form_token" value="<%= it.user.formToken %>">
<%~ include('@field', { label: 'Card number', name: 'card_number', error: it.faults?.card_number, autocomplete: 'off', inputmode: 'numeric', maxlength: 40, isVerbatim: true }) %>
<div class="pair">
<%~ include('@field', { label: 'Expires (MM/YY)', name: 'expiry', error: it.faults?.expiry, autocomplete: 'off', maxlength: 10, isVerbatim: true }) %>
<%~ include('@field', { label: 'Security code', name: 'security_code', type: 'password', error: it.faults?.security_code, autocomplete: 'off', inputmode: 'numeric', maxlength: 8 }) %>
</div>
<button class="small">Add card</button>
</form>
<% } %>
</section>
`,
);
