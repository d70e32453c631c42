import type { DataSource } from 'typeorm';
import { MailboxMessage } from '../tables/mailbox-message.entity.js';
import type { Message, MessageSender } from './message.js';

/** Stores messages for the page `/dev/mailbox` instead of sending them. */
export class MailboxSender implements MessageSender {
  constructor(private readonly dataSource: DataSource) {}

  async send({ kind, to, subject, text }: Message): Promise<void> {
    await this.dataSource.getRepository(MailboxMessage).insert({ kind, to, subject, text, sentAt: new Date() });
  }
}
