import type { Account } from '@settle/contracts';
import type { AccountHead } from '../pages/navigation.js';
import { pageTemplate } from '../pages/page-template.js';
import type { CardFaults } from './card-faults.js';

export interface FundingPage {
  readonly head: AccountHead;
  readonly source: Account['fundingSource'];
  /** Why no card can be added; null: one can. */
  readonly bar: string | null;
  readonly faults: CardFaults;
  readonly done: string | null;
}

/** What was typed is never sent back. Browsers are asked to offer no card that they keep: all of those are real. */
export const renderFunding =
  pageTemplate<FundingPage>(`<% layout('@layout', { title: 'Cards', isWide: true, account: it.head }) %>
<h1>Cards</h1>
<% if (it.done) { %><p class="done" role="status"><%= it.done %></p><% } %>
<section aria-labelledby="source-title">
<h2 id="source-title">Your card</h2>
<p class="soft">A payment that your balance does not cover is paid with your card, all of it.</p>
<% if (it.source) { %><ul><li class="row">
<span>Card<% if (it.source.lastFour) { %> ending in <strong><%= it.source.lastFour %></strong><% } %></span>
<form method="post" action="/account/funding/remove">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<button class="link">Remove</button>
</form>
</li></ul><% } else { %><p>None: a payment beyond your balance fails.</p><% } %>
</section>
<section aria-labelledby="card-title">
<h2 id="card-title"><%= it.source ? 'Use another card' : 'Add a card' %></h2>
<% if (it.bar) { %><p class="warn"><%= it.bar %></p>
<% } else { %>
<p class="soft">Test numbers alone are taken here, never a real card. With your first one come 100 dollars of test money.</p>
<dl>
<dt>4242 4242 4242 4242</dt><dd>pays</dd>
<dt>4000 0000 0000 0341</dt><dd>refuses payments</dd>
<dt>4000 0000 0000 0002</dt><dd>is declined</dd>
</dl>
<form method="post" action="/account/funding" autocomplete="off">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<%~ include('@field', { label: 'Card number', name: 'card_number', error: it.faults.card_number, autocomplete: 'off', inputmode: 'numeric', maxlength: 40, isVerbatim: true }) %>
<div class="pair">
<%~ include('@field', { label: 'Expires (MM/YY)', name: 'expiry', error: it.faults.expiry, autocomplete: 'off', maxlength: 10, isVerbatim: true }) %>
<%~ include('@field', { label: 'Security code', name: 'security_code', type: 'password', error: it.faults.security_code, autocomplete: 'off', inputmode: 'numeric', maxlength: 8 }) %>
</div>
<button class="small">Add the card</button>
</form>
<% } %>
</section>
`);
