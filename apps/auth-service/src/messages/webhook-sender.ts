import { LIMITS, newestSecret } from '@settle/config';
import type { Message, MessageSender } from './message.js';

/** Posts text messages to the operator's SMS service as JSON: `{"to": "+1…", "text": "…"}`. */
export class WebhookSender implements MessageSender {
  /** @param token sent as `Authorization: Bearer`, or null for none */
  constructor(
    private readonly url: string,
    private readonly token: string | null,
  ) {}

  async send({ to, text }: Message): Promise<void> {
    const authorization = this.token === null ? {} : { authorization: `Bearer ${newestSecret(this.token)}` };
    const response = await fetch(newestSecret(this.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify({ to, text }),
      // A redirect target is unknown and would receive the code.
      redirect: 'error',
      signal: AbortSignal.timeout(LIMITS.auth.messageWaitMs),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`The SMS webhook responded with status ${response.status}.`);
  }
}
