import type { Account } from '@settle/contracts';
import { NO_PROVIDER } from '../funding/funding-texts.js';
import { accountTemplate } from '../pages/account-template.js';

export interface FundingPage {
  readonly source: Account['fundingSource'];
}

/** The page without a payment provider. */
export const renderFunding = accountTemplate<FundingPage>(
  { path: '/account/funding', title: 'Cards' },
  `<p class="warn">${NO_PROVIDER}</p>
<section aria-labelledby="source-title">
<h2 id="source-title">Your card</h2>
<% if (it.source) { %><p class="soft">It pays for nothing while no payment provider is connected.</p>
<ul><li class="row">
<span>Card<% if (it.source.lastFour) { %> ending in <strong><%= it.source.lastFour %></strong><% } %></span>
<form method="post" action="/account/funding/remove">
<input type="hidden" name="form_token" value="<%= it.user.formToken %>">
<button class="link">Remove</button>
</form>
</li></ul><% } else { %><p>You have no card. Payments that exceed your balance fail.</p><% } %>
</section>
`,
);
