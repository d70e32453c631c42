import type { Friendships } from '@settle/contracts';
import type { AccountHead } from '../pages/navigation.js';
import { LONGEST_AMOUNT, shownAmountPerDay } from '../app-amounts/typed-amount.js';
import { pageTemplate } from '../pages/page-template.js';

export interface FriendsPage {
  readonly head: AccountHead;
  readonly friendships: Friendships;
  /** What was typed as a username. */
  readonly typed: string;
  readonly fault: string | null;
  /** What was typed as the amount of a friend's trust and cannot be taken. */
  readonly amountFault: { readonly friendId: string; readonly typed: string; readonly message: string } | null;
  readonly done: string | null;
}

/** Begins or changes the trust in a friend. */
const TRUST = `<% const fault = it.amountFault?.friendId === friend.id ? it.amountFault : null; const id = 'amount-' + friend.id; %>
<details<% if (fault) { %> open<% } %>><summary aria-label="<%= friend.isTrusted ? 'Limit' : 'Trust' %>: <%= friend.displayName %>"><%= friend.isTrusted ? 'Limit' : 'Trust' %></summary>
<form method="post" action="/account/friends/<%= friend.id %>">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<input type="hidden" name="action" value="trust">
<div class="field">
<label for="<%= id %>">At most this much a day <span class="soft">(optional)</span></label>
<p class="hint" id="<%= id %>-hint">In dollars, such as 20 or 12.50: what this friend may charge within 24 hours without asking you. What exceeds it waits for your approval. Empty: no limit.</p>
<input id="<%= id %>" name="amount_per_day" type="text" inputmode="decimal" maxlength="${LONGEST_AMOUNT}" value="<%= fault?.typed ?? it.amounts.get(friend.id) %>"<% if (fault) { %> aria-invalid="true"<% } %> aria-describedby="<%= id %>-hint<% if (fault) { %> <%= id %>-error<% } %>">
<% if (fault) { %><p class="error" id="<%= id %>-error"><%= fault.message %></p>
<% } %></div>
<button class="small" aria-label="<%= friend.isTrusted ? 'Save' : 'Trust' %>: <%= friend.displayName %>"><%= friend.isTrusted ? 'Save' : 'Trust' %></button>
</form></details>`;

/** One person and what can be done about them: pairs of an action and its words. */
const PERSON = (person: string, actions: string, note = '', more = '') => `<li class="row">
<span><bdi><%= ${person}.displayName %></bdi> <span class="soft">@<%= ${person}.username %></span>${note}</span>
<form class="acts" method="post" action="/account/friends/<%= ${person}.id %>">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<% for (const [action, words] of ${actions}) { %><button class="link" name="action" value="<%= action %>" aria-label="<%= words %>: <%= ${person}.displayName %>"><%= words %></button>
<% } %></form>${more}
</li>`;

const LIST = (people: string, actions: string) =>
  `<ul><% for (const person of it.friendships.${people}) { %>${PERSON('person', actions)}
<% } %></ul>`;

/** Returns the page as HTML. */
export function renderFriends(page: FriendsPage): string {
  const amounts = page.friendships.friends.map(
    ({ id, trustAmountPerDayCents }) => [id, shownAmountPerDay(trustAmountPerDayCents)] as const,
  );
  return render({ ...page, amounts: new Map(amounts) });
}

/** @param amounts by friend, as they stand in their fields */
const render = pageTemplate<
  FriendsPage & { readonly amounts: ReadonlyMap<string, string> }
>(`<% layout('@layout', { title: 'Friends', isWide: true, account: it.head }) %>
<% const { friends, incoming, outgoing, blocked } = it.friendships; %>
<h1>Friends</h1>
<% if (it.done) { %><p class="done" role="status"><%= it.done %></p><% } %>
<section aria-labelledby="ask">
<h2 id="ask">Ask somebody</h2>
<form method="post" action="/account/friends">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<%~ include('@field', { label: 'Their username', name: 'username', value: it.typed, error: it.fault, maxlength: 30, isVerbatim: true }) %>
<button class="small">Ask</button>
</form>
</section>
<% if (incoming.length > 0) { %><section aria-labelledby="incoming">
<h2 id="incoming">They ask you</h2>
${LIST('incoming', `[['accept', 'Accept'], ['decline', 'Decline'], ['block', 'Block']]`)}
</section><% } %>
<section aria-labelledby="friends">
<h2 id="friends">Your friends</h2>
<% if (friends.length === 0) { %><p class="soft">Nobody yet.</p><% } else { %>
<p class="soft">What a friend whom you trust asks you to pay is paid at once.</p>
<ul><% for (const friend of friends) { %>${PERSON(
  'friend',
  `[...(friend.isTrusted ? [['distrust', 'Do not trust']] : []), ['remove', 'Remove'], ['block', 'Block']]`,
  `<% if (friend.isTrusted) { %> <span class="tag">trusted<% if (it.amounts.get(friend.id)) { %> up to $<%= it.amounts.get(friend.id) %> a day<% } %></span><% } %>`,
  TRUST,
)}
<% } %></ul><% } %>
</section>
<% if (outgoing.length > 0) { %><section aria-labelledby="outgoing">
<h2 id="outgoing">You ask them</h2>
${LIST('outgoing', `[['decline', 'Take back']]`)}
</section><% } %>
<% if (blocked.length > 0) { %><section aria-labelledby="blocked">
<h2 id="blocked">Blocked</h2>
<p class="soft">No money moves between you, and they cannot ask you.</p>
${LIST('blocked', `[['unblock', 'Unblock']]`)}
</section><% } %>
`);
