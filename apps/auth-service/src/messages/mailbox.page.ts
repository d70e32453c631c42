import { pageTemplate } from '../pages/page-template.js';
import type { MailboxMessage } from '../tables/mailbox-message.entity.js';

export interface MailboxPage {
  /** Newest first. */
  readonly messages: readonly MailboxMessage[];
}

export const renderMailbox = pageTemplate<MailboxPage>(`<% layout('@layout', { title: 'Mailbox', isWide: true }) %>
<h1>Mailbox</h1>
<p class="lead">Messages that this server would send to users. Newest first; reload the page for new ones.</p>
<% if (it.messages.length === 0) { %><section><p>No messages yet.</p></section><% } %>
<% for (const message of it.messages) { %><section class="message">
<h2><bdi><%= message.subject %></bdi></h2>
<p class="soft">To <strong><bdi><%= message.to %></bdi></strong>, <time datetime="<%= message.sentAt.toISOString() %>"><%= message.sentAt.toISOString().slice(0, 19).replace('T', ' ') %> UTC</time></p>
<p class="text"><%= message.text %></p>
</section>
<% } %>`);
