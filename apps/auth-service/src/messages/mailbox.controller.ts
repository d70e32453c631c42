import { Controller, Get } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { DataSource } from 'typeorm';
import { page, type PageResponse } from '../http/page-response.js';
import { pageTemplate } from '../pages/page-template.js';
import { MailboxMessage } from '../tables/mailbox-message.entity.js';

/** Shows the messages of all users without sign-in. Registered only with `DEV_TOOLS`. */
@Controller('dev/mailbox')
export class MailboxController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async page(): Promise<PageResponse> {
    const newest = { order: { id: 'DESC' }, take: LIMITS.auth.mailboxMessages } as const;
    return page(renderMailbox({ messages: await this.dataSource.getRepository(MailboxMessage).find(newest) }));
  }
}

/** Shows the newest message first. */
const renderMailbox = pageTemplate<{
  messages: readonly MailboxMessage[];
}>(`<% layout('@layout', { title: 'Mailbox', isWide: true }) %>
<h1>Mailbox</h1>
<p class="lead">Messages that this server would send to users. Newest first; reload the page for new ones.</p>
<% if (it.messages.length === 0) { %><section><p>No messages yet.</p></section><% } %>
<% for (const message of it.messages) { %><section class="message">
<h2><bdi><%= message.subject %></bdi></h2>
<p class="soft">To <strong><bdi><%= message.to %></bdi></strong>, <time datetime="<%= message.sentAt.toISOString() %>"><%= message.sentAt.toISOString().slice(0, 19).replace('T', ' ') %> UTC</time></p>
<p class="text"><%= message.text %></p>
</section>
<% } %>`);
