import { NO_STREAM, RevisionConflict, type EventStore } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import type { Contradiction } from '@settle/payments-domain';
import type { Clock } from '../storage/clock.js';
import { newFundingEvent } from '../storage/step-ids.js';
import { fundingStream } from '../storage/streams.js';

/** Stores and logs answers of the provider that contradict the ledger. They move no money: an operator looks at them. */
export class Contradictions {
  constructor(private readonly parts: { readonly store: EventStore; readonly clock: Clock; readonly logger: Logger }) {}

  /**
   * Stores a contradiction about a provider's key, once for each kind until an operator closes it. Errors: the store's.
   * @param version of the provider's object; 0 if it was not read from a change
   */
  async record(key: string, contradiction: Contradiction, version = 0): Promise<void> {
    const { store, clock, logger } = this.parts;
    const stream = fundingStream('contradiction', key);
    const [newest] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
    const isKnown =
      newest?.type === 'ContradictionFound' &&
      (newest.data as { contradiction: Contradiction }).contradiction === contradiction;
    if (isKnown) return;
    logger.error({ key, contradiction, version }, 'the provider contradicts the ledger; nothing is moved');
    const data = { key, contradiction, version, atUs: clock.nowUs() };
    const event = newFundingEvent({ kind: 'contradiction', id: key, event: { type: 'ContradictionFound', data } });
    try {
      await store.append([{ stream, expectedRevision: newest?.revision ?? NO_STREAM, events: [event] }]);
    } catch (error) {
      // Another instance has stored one meanwhile.
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
}
