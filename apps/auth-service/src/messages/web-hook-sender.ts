import { LIMITS } from '@settle/config';
import type { Message, MessageSender } from './message.js';

/** Hands text messages to a service of the operator's: `POST` of `{"to": "+1…", "text": "…"}` as JSON. */
export class WebHookSender implements MessageSender {
  readonly #headers: Readonly<Record<string, string>>;

  /** @param token sent as `Authorization: Bearer`; null: none */
  constructor(
    private readonly url: string,
    token: string | null,
  ) {
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    this.#headers = { 'content-type': 'application/json', ...authorization };
  }

  async send({ to, text }: Message): Promise<void> {
    const answer = await fetch(this.url, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify({ to, text }),
      // What it leads to might be anybody, and would be told the code.
      redirect: 'error',
      signal: AbortSignal.timeout(LIMITS.auth.messageWaitMs),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`The web hook for text messages answered ${answer.status}.`);
  }

  close(): void {
    // Each request is one of its own.
  }
}
