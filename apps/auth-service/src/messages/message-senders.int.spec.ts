import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createDataSource, migrateSchema, openDataSource } from '@settle/postgres';
import { freshDatabase } from '@settle/testing';
import { SMTPServer } from 'smtp-server';
import { AUTH_SCHEMA } from '../auth-schema.js';
import { MailboxMessage } from '../tables/mailbox-message.entity.js';
import { MailboxSender } from './mailbox-sender.js';
import { describeMessageSender, type SenderUnderTest } from './message-sender.contract.fixture.js';
import { SmtpSender } from './smtp-sender.js';
import { WebHookSender } from './web-hook-sender.js';

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
  const arrived = async () =>
    (await dataSource.getRepository(MailboxMessage).find()).map(({ to, subject, text }) =>
      [to, subject, text].join('\n'),
    );
  return { sender: new MailboxSender(dataSource), kind: 'email', arrived, stop };
});

describeMessageSender('a mail server', startMailServer);
describeMessageSender('a web hook for text messages', startWebHook);

async function startMailServer(): Promise<SenderUnderTest> {
  const mails: string[] = [];
  let refuses = false;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData: (stream, session, done) => {
      void text(stream).then((mail) => {
        if (refuses) return done(new Error('No room.'));
        const to = session.envelope.rcptTo.map(({ address }) => address).join();
        mails.push(`${to}\n${readMail(mail)}`);
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
    arrived: () => Promise.resolve([...mails]),
    refuse: () => (refuses = true),
    stop: async () => {
      sender.close();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

/** Head and text of a plain mail; what is not ASCII is sent as quoted-printable or base64. */
function readMail(mail: string): string {
  const [head = '', ...rest] = mail.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/^Content-Transfer-Encoding: base64/im.test(head)) return `${head}\n${Buffer.from(body, 'base64').toString()}`;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (run) => Buffer.from(run.replaceAll('=', ''), 'hex').toString());
  return `${head}\n${bytes}`;
}

async function startWebHook(): Promise<SenderUnderTest> {
  const posts: string[] = [];
  let refuses = false;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const isRight = request.method === 'POST' && request.headers.authorization === `Bearer ${TOKEN}`;
      if (isRight && !refuses) {
        const { to, text: said } = JSON.parse(body) as { to: string; text: string };
        posts.push(`${to}\n${said}`);
      }
      response.writeHead(refuses ? 500 : 204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    sender: new WebHookSender(`http://127.0.0.1:${port}/send`, TOKEN),
    kind: 'phone',
    arrived: () => Promise.resolve([...posts]),
    refuse: () => (refuses = true),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
