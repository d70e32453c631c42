import { LIMITS, newestSecret } from '@settle/config';
import { createTransport, type Transporter } from 'nodemailer';
import type { Message, MessageSender } from './message.js';

/** Sends e-mails through a mail server. */
export class SmtpSender implements MessageSender {
  #transport: Transporter;
  #urlInUse: string;

  /** @param url `smtps://user:password@host:465`, or `smtp://…`, which takes to TLS where the server offers it */
  constructor(
    private readonly url: string,
    private readonly from: string,
  ) {
    this.#urlInUse = newestSecret(url);
    this.#transport = transportTo(this.#urlInUse);
  }

  async send({ to, subject, text }: Message): Promise<void> {
    const newestUrl = newestSecret(this.url);
    if (newestUrl !== this.#urlInUse) {
      this.#transport.close();
      this.#transport = transportTo(newestUrl);
      this.#urlInUse = newestUrl;
    }
    // As a name and an address: nothing in the address can become a second one.
    await this.#transport.sendMail({ from: this.from, to: { name: '', address: to }, subject, text });
  }

  close(): void {
    this.#transport.close();
  }
}

function transportTo(url: string): Transporter {
  const { messageWaitMs } = LIMITS.auth;
  return createTransport({
    url,
    connectionTimeout: messageWaitMs,
    greetingTimeout: messageWaitMs,
    socketTimeout: messageWaitMs,
  });
}
