import { credential, mailbox, smtpUrl, webAddress } from './setting-parsers.js';
import { setting } from './setting.js';

const READ_BY = 'all-in-one, stack, auth-service';

/** How codes reach people. */
export const MESSAGE_SETTINGS = {
  smtpUrl: setting({
    name: 'SMTP_URL',
    default: null,
    otherwise: 'the page `/dev/mailbox` with `DEV_TOOLS`; otherwise users cannot sign up or verify an e-mail address',
    meaning: 'The mail server that sends codes to e-mail addresses.',
    readBy: READ_BY,
    expects: 'the address of a mail server',
    example: 'smtps://user:password@mail.example.com:465',
    isSecret: true,
    hasFile: true,
    parse: smtpUrl,
  }),
  mailFrom: setting({
    name: 'MAIL_FROM',
    default: null,
    otherwise: 'none; needed with `SMTP_URL`',
    meaning: 'The sender of those e-mails.',
    readBy: READ_BY,
    expects: 'an e-mail address',
    example: 'settle@example.com',
    parse: mailbox,
  }),
  smsWebHookUrl: setting({
    name: 'SMS_WEBHOOK_URL',
    default: null,
    otherwise: 'the page `/dev/mailbox` with `DEV_TOOLS`; otherwise users cannot verify a phone number',
    meaning:
      'Where codes for phones are handed over: a `POST` with the JSON object `{"to": "+14155550101", "text": "…"}`, answered with a status from 200 to 299.',
    readBy: READ_BY,
    expects: 'an http or https address',
    example: 'https://sms.example.com/send',
    isSecret: true,
    hasFile: true,
    parse: webAddress,
  }),
  smsWebHookToken: setting({
    name: 'SMS_WEBHOOK_TOKEN',
    default: null,
    otherwise: 'none',
    meaning: 'Sent along as `Authorization: Bearer`.',
    readBy: READ_BY,
    expects: 'at most 255 visible ASCII characters',
    example: 'something-secret',
    isSecret: true,
    hasFile: true,
    parse: credential,
  }),
};
