import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '@settle/testing';
import { SMTPServer } from 'smtp-server';

/** A mail server for one spec file: in production there is no mailbox page. */
export interface CaughtMail {
  /** Settings of the product, which sends its e-mails here. */
  readonly env: Readonly<Record<string, string>>;
  /** Returns the texts of the e-mails to an address, oldest first. */
  read(address: string): readonly string[];
  /** Resolves with the newest code that was sent to the address. */
  code(address: string): Promise<string>;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<CaughtMail> {
  const mails: { readonly to: string; readonly text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData: (stream, session, done) => {
      void text(stream).then((mail) => {
        for (const { address } of session.envelope.rcptTo) mails.push({ to: address, text: decodeBody(mail) });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const read = (address: string) => mails.filter(({ to }) => to === address).map((mail) => mail.text);
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'settle@example.com' },
    read,
    code: (address) =>
      eventually(() => {
        const code = read(address).flatMap((mail) => /^\d{6}/m.exec(mail)?.[0] ?? []);
        return code.at(-1) ?? Promise.reject(new Error(`No code was sent to ${address}.`));
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Decodes the body of a plain e-mail, whose non-ASCII text is quoted-printable or base64. */
function decodeBody(mail: string): string {
  const [head = '', ...rest] = mail.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/^Content-Transfer-Encoding: base64/im.test(head)) return Buffer.from(body, 'base64').toString();
  return body
    .replace(/=\r\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (run) => Buffer.from(run.replaceAll('=', ''), 'hex').toString());
}
