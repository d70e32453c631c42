import { LIMITS } from '@settle/config';
import { createTransport, type Transporter } from 'nodemailer';
import type { Message, MessageSender } from './message.js';

/** Sends e-mails through a mail server. */
export class SmtpSender implements MessageSender {
  readonly #transport: Transporter;

  /** @param url `smtps://user:password@host:465`, or `smtp://…`, which takes to TLS where the server offers it */
  constructor(
    url: string,
    private readonly from: string,
  ) {
    const { messageWaitMs } = LIMITS.auth;
    this.#transport = createTransport({
      url,
      connectionTimeout: messageWaitMs,
      greetingTimeout: messageWaitMs,
      socketTimeout: messageWaitMs,
    });
  }

  async send({ to, subject, text }: Message): Promise<void> {
    // As a name and an address: nothing in the address can become a second one.
    await this.#transport.sendMail({ from: this.from, to: { name: '', address: to }, subject, text });
  }

  close(): void {
    this.#transport.close();
  }
}
