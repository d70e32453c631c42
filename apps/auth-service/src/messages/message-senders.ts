import type { Settings } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { DataSource } from 'typeorm';
import type { MessageSenders } from './message-queue.js';
import { MailboxSender } from './mailbox-sender.js';
import { SmtpSender } from './smtp-sender.js';
import { WebHookSender } from './web-hook-sender.js';

/** The ways that the operator has opened; else the mailbox page, with `DEV_TOOLS`; else none, which is said in the log. */
export function messageSenders(settings: Settings, dataSource: DataSource, logger: Logger): MessageSenders {
  const { smtp, smsWebHook } = settings.messages;
  const mailbox = settings.devTools ? new MailboxSender(dataSource) : null;
  const senders = {
    email: smtp === null ? mailbox : new SmtpSender(smtp.url, smtp.from),
    phone: smsWebHook === null ? mailbox : new WebHookSender(smsWebHook.url, smsWebHook.token),
  };
  if (senders.email === null) {
    logger.warn('SMTP_URL is not set: nobody can sign up, prove an e-mail address or reset a password');
  }
  if (senders.phone === null) logger.warn('SMS_WEBHOOK_URL is not set: nobody can prove a phone number');
  return senders;
}
