import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readSettings } from '@settle/config';
import { createDataSource, migrateSchema, openDataSource } from '@settle/postgres';
import { freshDatabase } from '@settle/testing';
import { SMTPServer } from 'smtp-server';
import { AUTH_SCHEMA } from '../tables/auth-schema.js';
import { MailboxMessage } from '../tables/mailbox-message.entity.js';
import { MailboxSender } from './message-senders.js';
import { describeMessageSender, type SenderUnderTest } from '../../test/messages/message-sender.contract.fixture.js';
import { SmtpSender } from './smtp-sender.js';
import { WebhookSender } from './webhook-sender.js';

const TOKEN = 'hook-token';

describeMessageSender('the mailbox', async () => {
  const database = await freshDatabase();
  await migrateSchema(AUTH_SCHEMA, database.url);
  const options = { name: 'spec', url: database.url, entities: [MailboxMessage] };
  const dataSource = await openDataSource(createDataSource(options));
  const stop = async () => {
    await dataSource.destroy();
    await database.drop();
  };
  const listReceived = async () =>
    (await dataSource.getRepository(MailboxMessage).find()).map(({ to, subject, text }) =>
      [to, subject, text].join('\n'),
    );
  return { sender: new MailboxSender(dataSource), kind: 'email', listReceived, stop };
});

describeMessageSender('the mail server', startMailServer);
describeMessageSender('the SMS webhook', startWebhook);

describe('the secret of a sender in a file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'settle-message-secrets-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('given a mail server with a new password, when the file has the new password, too, then e-mails are sent without a restart', async () => {
    let password = 'former';
    const signedInWith: string[] = [];
    const server = new SMTPServer({
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onAuth: ({ password: typed = '' }, _session, done) => {
        if (typed !== password) return done(new Error('Wrong.'));
        signedInWith.push(typed);
        done(null, { user: 'settle' });
      },
      onData: (stream, _session, done) => void text(stream).then(() => done()),
    });
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    const { port } = server.server.address() as AddressInfo;
    const urlWith = (secret: string) => `smtp://settle:${secret}@127.0.0.1:${port}`;
    const file = join(folder, 'smtp-url');
    await writeFile(file, urlWith('former'));
    const { smtp } = readSettings({ SMTP_URL_FILE: file, MAIL_FROM: 'settle@example.com' }).messages;
    const sender = new SmtpSender(smtp?.url ?? '', 'settle@example.com');
    const mail = { kind: 'email' as const, to: 'ann@example.com', subject: 'Code', text: '123456' };
    try {
      await sender.send(mail);
      password = 'newest';
      await expect(sender.send(mail)).rejects.toThrow(/login|Wrong/i);
      await writeFile(file, urlWith('newest'));
      await sender.send(mail);
      expect(signedInWith).toEqual(['former', 'newest']);
    } finally {
      sender.close();
      await new Promise<void>((resolve) => server.close(resolve));
    }
  });

  it('given a webhook token in a file, when the file changes, then the next message carries the new token', async () => {
    const tokens: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      tokens.push(request.headers.authorization);
      response.writeHead(204).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const file = join(folder, 'token');
    await writeFile(file, 'former');
    const url = `http://127.0.0.1:${port}/send`;
    const { smsWebHook } = readSettings({ SMS_WEBHOOK_URL: url, SMS_WEBHOOK_TOKEN_FILE: file }).messages;
    const sender = new WebhookSender(url, smsWebHook?.token ?? null);
    const message = { kind: 'phone' as const, to: '+14155550101', subject: '', text: '123456' };
    await sender.send(message);
    await writeFile(file, 'newest');
    await sender.send(message);
    expect(tokens).toEqual(['Bearer former', 'Bearer newest']);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

async function startMailServer(): Promise<SenderUnderTest> {
  const mails: string[] = [];
  let rejects = false;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData: (stream, session, done) => {
      void text(stream).then((mail) => {
        if (rejects) return done(new Error('No room.'));
        const to = session.envelope.rcptTo.map(({ address }) => address).join();
        mails.push(`${to}\n${decodeMail(mail)}`);
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const sender = new SmtpSender(`smtp://127.0.0.1:${port}`, 'settle@example.com');
  return {
    sender,
    kind: 'email',
    listReceived: () => Promise.resolve([...mails]),
    rejectAll: () => (rejects = true),
    stop: async () => {
      sender.close();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

/** Decodes a plain e-mail, whose non-ASCII text is quoted-printable or base64. */
function decodeMail(mail: string): string {
  const [head = '', ...rest] = mail.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/^Content-Transfer-Encoding: base64/im.test(head)) return `${head}\n${Buffer.from(body, 'base64').toString()}`;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (run) => Buffer.from(run.replaceAll('=', ''), 'hex').toString());
  return `${head}\n${bytes}`;
}

async function startWebhook(): Promise<SenderUnderTest> {
  const posts: string[] = [];
  let rejects = false;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const isValid = request.method === 'POST' && request.headers.authorization === `Bearer ${TOKEN}`;
      if (isValid && !rejects) {
        const { to, text: content } = JSON.parse(body) as { to: string; text: string };
        posts.push(`${to}\n${content}`);
      }
      response.writeHead(rejects ? 500 : 204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    sender: new WebhookSender(`http://127.0.0.1:${port}/send`, TOKEN),
    kind: 'phone',
    listReceived: () => Promise.resolve([...posts]),
    rejectAll: () => (rejects = true),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
