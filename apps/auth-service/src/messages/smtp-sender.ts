import { LIMITS, newestSecret } from '@settle/config';
import { createTransport, type Transporter } from 'nodemailer';
import type { Message, MessageSender } from './message.js';

/** Sends e-mails through a mail server. */
export class SmtpSender implements MessageSender {
  #transport: Transporter;
  #currentUrl: string;

  /** @param url `smtps://user:password@host:465`, or `smtp://…`, which switches to TLS if the server offers it */
  constructor(
    private readonly url: string,
    private readonly from: string,
  ) {
    this.#currentUrl = newestSecret(url);
    this.#transport = createSmtpTransport(this.#currentUrl);
  }

  async send({ to, subject, text }: Message): Promise<void> {
    const newestUrl = newestSecret(this.url);
    if (newestUrl !== this.#currentUrl) {
      this.#transport.close();
      this.#transport = createSmtpTransport(newestUrl);
      this.#currentUrl = newestUrl;
    }
    // The object form prevents an address from being parsed as several.
    await this.#transport.sendMail({ from: this.from, to: { name: '', address: to }, subject, text });
  }

  close(): void {
    this.#transport.close();
  }
}

function createSmtpTransport(url: string): Transporter {
  const { messageWaitMs: waitMs } = LIMITS.auth;
  return createTransport({ url, connectionTimeout: waitMs, greetingTimeout: waitMs, socketTimeout: waitMs });
}
