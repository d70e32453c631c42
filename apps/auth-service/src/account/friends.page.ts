import type { Friendships } from '@settle/contracts';
import type { AccountHead } from '../pages/navigation.js';
import { pageTemplate } from '../pages/page-template.js';

export interface FriendsPage {
  readonly head: AccountHead;
  readonly friendships: Friendships;
  /** What was typed as a username. */
  readonly typed: string;
  readonly fault: string | null;
  readonly done: string | null;
}

/** One person and what can be done about them: pairs of an action and its words. */
const PERSON = (person: string, actions: string, note = '') => `<li class="row">
<span><bdi><%= ${person}.displayName %></bdi> <span class="soft">@<%= ${person}.username %></span>${note}</span>
<form class="acts" method="post" action="/account/friends/<%= ${person}.id %>">
<input type="hidden" name="form_token" value="<%= it.head.formToken %>">
<% for (const [action, words] of ${actions}) { %><button class="link" name="action" value="<%= action %>" aria-label="<%= words %>: <%= ${person}.displayName %>"><%= words %></button>
<% } %></form>
</li>`;

const LIST = (people: string, actions: string) =>
  `<ul><% for (const person of it.friendships.${people}) { %>${PERSON('person', actions)}
<% } %></ul>`;

export const renderFriends =
  pageTemplate<FriendsPage>(`<% layout('@layout', { title: 'Friends', isWide: true, account: it.head }) %>
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
    `[friend.isTrusted ? ['distrust', 'Do not trust'] : ['trust', 'Trust'], ['remove', 'Remove'], ['block', 'Block']]`,
    `<% if (friend.isTrusted) { %> <span class="tag">trusted</span><% } %>`,
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
