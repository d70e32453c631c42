import { Controller, Get } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { DataSource } from 'typeorm';
import { page, type PageResponse } from '../http/page-response.js';
import { MailboxMessage } from '../tables/mailbox-message.entity.js';
import { renderMailbox } from './mailbox.page.js';

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
