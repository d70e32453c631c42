import { credential, mailbox, smtpUrl, webAddress } from './setting-parsers.js';
import { READ_AT_EACH_MESSAGE, setting } from './setting.js';

const READ_BY = 'all-in-one, stack, auth-service';

/** How codes reach people. */
export const MESSAGE_SETTINGS = {
  smtpUrl: setting('SMTP_URL', smtpUrl, {
    otherwise: 'the page `/dev/mailbox` with `DEV_TOOLS`; otherwise users cannot sign up or verify an e-mail address',
    meaning: 'The mail server that sends codes to e-mail addresses.',
    readBy: READ_BY,
    example: 'smtps://user:password@mail.example.com:465',
    inFile: READ_AT_EACH_MESSAGE,
  }),
  mailFrom: setting('MAIL_FROM', mailbox, {
    otherwise: 'none; needed with `SMTP_URL`',
    meaning: 'The sender of those e-mails.',
    readBy: READ_BY,
    example: 'settle@example.com',
  }),
  smsWebHookUrl: setting('SMS_WEBHOOK_URL', webAddress, {
    otherwise: 'the page `/dev/mailbox` with `DEV_TOOLS`; otherwise users cannot verify a phone number',
    meaning:
      'Where codes for phones are handed over: a `POST` with the JSON object `{"to": "+14155550101", "text": "…"}`, answered with a status from 200 to 299.',
    readBy: READ_BY,
    example: 'https://sms.example.com/send',
    inFile: READ_AT_EACH_MESSAGE,
  }),
  smsWebHookToken: setting('SMS_WEBHOOK_TOKEN', credential, {
    meaning: 'Sent along as `Authorization: Bearer`.',
    readBy: READ_BY,
    example: 'something-secret',
    inFile: READ_AT_EACH_MESSAGE,
  }),
};
