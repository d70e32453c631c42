import type { Friend, Friendships } from '@settle/contracts';
import { accountTemplate } from '../pages/account-template.js';
import { MAX_AMOUNT_LENGTH } from '../spending-limits/amount-per-day.js';

export interface FriendsPage {
  readonly friendships: Friendships;
  /** Returns the daily limit of a trusted friend in dollars; empty: no limit. */
  readonly amountOf: (friend: Friend) => string;
  /** The submitted username. */
  readonly typed?: string;
  readonly fault?: string;
  /** The rejected amount for a trusted friend. */
  readonly amountFault?: { readonly friendId: string; readonly typed: string; readonly message: string };
}

/** Trusts a friend, or changes the limit of a trusted friend. */
const TRUST_FORM = `<% const fault = it.amountFault?.friendId === friend.id ? it.amountFault : null; const id = 'amount-' + friend.id; %>
<details<% if (fault) { %> open<% } %>><summary aria-label="<%= friend.isTrusted ? 'Limit' : 'Trust' %>: <%= friend.displayName %>"><%= friend.isTrusted ? 'Limit' : 'Trust' %></summary>
<form method="post" action="/account/friends/<%= friend.id %>">
<input type="hidden" name="form_token" value="<%= it.user.formToken %>">
<input type="hidden" name="action" value="trust">
<div class="field">
<label for="<%= id %>">Daily limit <span class="soft">(optional)</span></label>
<p class="hint" id="<%= id %>-hint">In dollars, such as 20 or 12.50. This friend can charge you up to this amount within 24 hours without your approval. Charges above it wait for your approval. Leave it empty for no limit.</p>
<input id="<%= id %>" name="amount_per_day" type="text" inputmode="decimal" maxlength="${MAX_AMOUNT_LENGTH}" value="<%= fault?.typed ?? it.amountOf(friend) %>"<% if (fault) { %> aria-invalid="true"<% } %> aria-describedby="<%= id %>-hint<% if (fault) { %> <%= id %>-error<% } %>">
<% if (fault) { %><p class="error" id="<%= id %>-error"><%= fault.message %></p>
<% } %></div>
<button class="small" aria-label="<%= friend.isTrusted ? 'Save' : 'Trust' %>: <%= friend.displayName %>"><%= friend.isTrusted ? 'Save' : 'Trust' %></button>
</form></details>`;

/** Returns the list item of a user. @param user the template variable @param actions pairs of an action and its label */
const USER_ROW = (user: string, actions: string, note = '', more = '') => `<li class="row">
<span><bdi><%= ${user}.displayName %></bdi> <span class="soft">@<%= ${user}.username %></span>${note}</span>
<form class="acts" method="post" action="/account/friends/<%= ${user}.id %>">
<input type="hidden" name="form_token" value="<%= it.user.formToken %>">
<% for (const [action, label] of ${actions}) { %><button class="link" name="action" value="<%= action %>" aria-label="<%= label %>: <%= ${user}.displayName %>"><%= label %></button>
<% } %></form>${more}
</li>`;

const USER_LIST = (list: string, actions: string) =>
  `<ul><% for (const user of it.friendships.${list}) { %>${USER_ROW('user', actions)}
<% } %></ul>`;

export const renderFriends = accountTemplate<FriendsPage>(
  { path: '/account/friends', title: 'Friends' },
  `<% const { friends, incoming, outgoing, blocked } = it.friendships; %>
<section aria-labelledby="ask">
<h2 id="ask">Add a friend</h2>
<form method="post" action="/account/friends">
<input type="hidden" name="form_token" value="<%= it.user.formToken %>">
<%~ include('@field', { label: 'Username', name: 'username', value: it.typed, error: it.fault, maxlength: 30, isVerbatim: true }) %>
<button class="small">Send request</button>
</form>
</section>
<% if (incoming.length > 0) { %><section aria-labelledby="incoming">
<h2 id="incoming">Friend requests</h2>
${USER_LIST('incoming', `[['accept', 'Accept'], ['decline', 'Decline'], ['block', 'Block']]`)}
</section><% } %>
<section aria-labelledby="friends">
<h2 id="friends">Your friends</h2>
<% if (friends.length === 0) { %><p class="soft">You have no friends yet.</p><% } else { %>
<p class="soft">Charges from a friend you trust are paid right away.</p>
<ul><% for (const friend of friends) { %>${USER_ROW(
    'friend',
    `[...(friend.isTrusted ? [['distrust', 'Stop trusting']] : []), ['remove', 'Remove'], ['block', 'Block']]`,
    `<% if (friend.isTrusted) { %> <span class="tag">trusted<% if (it.amountOf(friend)) { %> up to $<%= it.amountOf(friend) %> a day<% } %></span><% } %>`,
    TRUST_FORM,
  )}
<% } %></ul><% } %>
</section>
<% if (outgoing.length > 0) { %><section aria-labelledby="outgoing">
<h2 id="outgoing">Sent requests</h2>
${USER_LIST('outgoing', `[['decline', 'Cancel request']]`)}
</section><% } %>
<% if (blocked.length > 0) { %><section aria-labelledby="blocked">
<h2 id="blocked">Blocked</h2>
<p class="soft">You and a blocked user cannot pay or charge each other, and a blocked user cannot send you a friend request.</p>
${USER_LIST('blocked', `[['unblock', 'Unblock']]`)}
</section><% } %>
`,
);
