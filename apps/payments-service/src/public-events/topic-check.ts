import { TOPICS } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import type { TopicContents } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { isRaised, readPublicEventEpoch } from './public-event-epoch.js';
import { findContradiction, type TopicContradiction } from './topic-contradiction.js';

export interface TopicCheckParts {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly pool: Pool;
  readonly contents: Pick<TopicContents, 'newest'>;
  readonly logger: Logger;
}

/** Compares the topic of payment events with the ledger, once per process. */
export class TopicCheck {
  #checking: Promise<TopicContradiction | null> | null = null;

  constructor(private readonly parts: TopicCheckParts) {}

  /**
   * Returns the first event that the ledger does not have, and logs it; null if there is none. A failed check is
   * repeated.
   */
  contradiction(): Promise<TopicContradiction | null> {
    this.#checking ??= this.#check().catch((error: unknown) => {
      this.#checking = null;
      throw error;
    });
    return this.#checking;
  }

  async #check(): Promise<TopicContradiction | null> {
    const { store, pool, contents, logger } = this.parts;
    const newest = await contents.newest();
    // Read after the topic: a publisher that fills it under a raised epoch stores that before its first record.
    if (isRaised(await readPublicEventEpoch(pool))) return null;
    const contradiction = await findContradiction(store, newest);
    if (contradiction !== null) {
      logger.error(
        contradiction,
        `the topic ${TOPICS.paymentsEvents} holds an event that the ledger does not have: the ledger was restored, lost ` +
          'its newest events, or is another one; payment events are not published until the command "ledger -- republish" ' +
          'has marked the topic to be emptied and filled again',
      );
    }
    return contradiction;
  }
}
