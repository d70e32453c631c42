import { LIMITS, newestSecret } from '@settle/config';
import type { Message, MessageSender } from './message.js';

/** Hands text messages to a service of the operator's: `POST` of `{"to": "+1…", "text": "…"}` as JSON. */
export class WebHookSender implements MessageSender {
  /** @param token sent as `Authorization: Bearer`; null: none */
  constructor(
    private readonly url: string,
    private readonly token: string | null,
  ) {}

  async send({ to, text }: Message): Promise<void> {
    const authorization = this.token === null ? {} : { authorization: `Bearer ${newestSecret(this.token)}` };
    const answer = await fetch(newestSecret(this.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
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
