import type { Settings } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { DataSource } from 'typeorm';
import { MailboxMessage } from '../tables/mailbox-message.entity.js';
import type { Message, MessageSender } from './message.js';
import type { MessageSenders } from './message-queue.js';
import { WebhookSender } from './webhook-sender.js';

/** Returns the configured senders. Without one, uses the mailbox page if `DEV_TOOLS` is on; otherwise logs a warning. */
export async function createMessageSenders(
  settings: Settings,
  dataSource: DataSource,
  logger: Logger,
): Promise<MessageSenders> {
  const { smtp, smsWebHook } = settings.messages;
  const mailbox = settings.devTools ? new MailboxSender(dataSource) : null;
  const senders = {
    email: smtp === null ? mailbox : await createSmtpSender(smtp.url, smtp.from),
    phone: smsWebHook === null ? mailbox : new WebhookSender(smsWebHook.url, smsWebHook.token),
  };
  if (senders.email === null) {
    logger.warn('SMTP_URL is not set; sign-up, e-mail verification and password reset are unavailable');
  }
  if (senders.phone === null) logger.warn('SMS_WEBHOOK_URL is not set; phone verification is unavailable');
  return senders;
}

/** Loads the mail client on demand: few starts need it. */
async function createSmtpSender(url: string, from: string): Promise<MessageSender> {
  const { SmtpSender } = await import('./smtp-sender.js');
  return new SmtpSender(url, from);
}

/** Stores messages for the page `/dev/mailbox` instead of sending them. */
export class MailboxSender implements MessageSender {
  constructor(private readonly dataSource: DataSource) {}

  async send({ kind, to, subject, text }: Message): Promise<void> {
    await this.dataSource.getRepository(MailboxMessage).insert({ kind, to, subject, text, sentAt: new Date() });
  }
}
