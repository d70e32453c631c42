import type { TestCard } from '../cards/cards.js';
import { pageTemplate } from './page-template.js';

/** The form for a card. `cancelUrl` leads back without one. */
export const renderCardPage = pageTemplate<{
  readonly ownerName: string;
  readonly cancelUrl: string;
  readonly cards: readonly TestCard[];
  readonly error: string | null;
}>(
  'Add a card',
  `<p>For <%= it.ownerName %>. Only the test cards below exist.</p>
<form method="post">
<p><label for="card_number">Card number</label>
<input id="card_number" name="card_number" inputmode="numeric" autocomplete="cc-number" maxlength="40" required
<% if (it.error) { %> aria-invalid="true" aria-describedby="card_number-error"<% } %>></p>
<% if (it.error) { %><p class="error" id="card_number-error"><%= it.error %></p><% } %>
<p><button>Add card</button> <a href="<%= it.cancelUrl %>">Cancel</a></p>
</form>
<table>
<tr><th scope="col">Number</th><th scope="col">What happens</th></tr>
<% for (const card of it.cards) { %><tr><td><code><%= card.number %></code></td><td><%= card.meaning %></td></tr>
<% } %></table>`,
);

/** The page on which a user confirms a charge. */
export const renderActionPage = pageTemplate<{ readonly amount: string }>(
  'Confirm the payment',
  `<p>Do you want to pay <strong><%= it.amount %></strong>?</p>
<form method="post">
<p><button name="answer" value="confirm">Confirm</button> <button name="answer" value="refuse">Refuse</button></p>
</form>`,
);

/** A page with one sentence, and the way back if there is one. */
export const renderMessagePage = pageTemplate<{ readonly message: string; readonly backUrl: string | null }>(
  'Done here',
  `<p><%= it.message %></p>
<% if (it.backUrl) { %><p><a href="<%= it.backUrl %>">Back</a></p><% } %>`,
);
