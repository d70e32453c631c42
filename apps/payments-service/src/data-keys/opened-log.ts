import type { ReadOptions, ReadableLog, StoredEvent, SubscribeOptions, Subscription } from '@settle/event-store';
import type { PaymentTexts } from './payment-texts.js';

/** The log of an environment with the notes and addresses of payments decrypted, for what shows them. */
export class OpenedLog implements ReadableLog {
  constructor(
    private readonly log: ReadableLog,
    private readonly texts: PaymentTexts,
  ) {}

  async readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    return [...(await this.texts.openEvents(await this.log.readStream(stream, options)))];
  }

  subscribe(options: SubscribeOptions): Subscription {
    const handle = async (events: readonly StoredEvent[], upTo: number) =>
      options.handle(await this.texts.openEvents(events), upTo);
    return this.log.subscribe({ ...options, handle });
  }
}
