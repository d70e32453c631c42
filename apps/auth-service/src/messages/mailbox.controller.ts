import { Controller, Get, Res } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import type { FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';
import { sendPage } from '../http/send-page.js';
import { MailboxMessage } from '../tables/mailbox-message.entity.js';
import { renderMailbox } from './mailbox.page.js';

/** Shows the messages of all users without sign-in. Registered only with `DEV_TOOLS`. */
@Controller('dev/mailbox')
export class MailboxController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async page(@Res() reply: FastifyReply): Promise<void> {
    const messages = await this.dataSource
      .getRepository(MailboxMessage)
      .find({ order: { id: 'DESC' }, take: LIMITS.auth.mailboxMessages });
    await sendPage(reply, renderMailbox({ messages }));
  }
}
