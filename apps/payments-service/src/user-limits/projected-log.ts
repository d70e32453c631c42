import { LIMITS } from '@settle/config';
import { START, type EventStore } from '@settle/event-store';
import type { Pool } from 'pg';
import { PROJECTION, readCheckpoint } from '../projection/checkpoints.js';
import { newestLedgerPosition } from './newest-ledger-position.js';

const { logEndWaitMs } = LIMITS.payments;
const { eventsPerRead } = LIMITS.eventStore;

export interface ProjectedLogParts {
  readonly store: Pick<EventStore, 'subscribe' | 'newestPosition'>;
  readonly pool: Pool;
  /** Waits, within bounds, until the read models have reached a position; false if they have not. */
  readonly reached: (position: number) => Promise<boolean>;
}

/** Waits until the read models show everything that was stored for the users of this instance, by whichever instance. */
export class ProjectedLog {
  /** Newest log position of what this instance has stored. */
  #position = START;
  /** Log position of what other instances, or this one before its restart, stored for the users that it now owns. */
  #earlierPosition: Promise<number | null> | null = null;

  constructor(private readonly parts: ProjectedLogParts) {}

  /** Another instance may have stored something: users were reassigned, or an append met a conflict. */
  forget(): void {
    this.#earlierPosition = null;
  }

  /** Records the log position of something that this instance has stored. */
  record(position: number): void {
    this.#position = Math.max(this.#position, position);
  }

  /**
   * Resolves, within bounds, with whether the read models show everything; false as well if the newest events cannot be
   * read. Errors: those of the store and the database.
   */
  async isShown(): Promise<boolean> {
    this.#earlierPosition ??= this.#readEarlierPosition().catch((error: unknown) => {
      this.#earlierPosition = null;
      throw error;
    });
    const reading = this.#earlierPosition;
    const earlier = await reading;
    if (earlier === null) {
      if (this.#earlierPosition === reading) this.#earlierPosition = null;
      return false;
    }
    return this.parts.reached(Math.max(earlier, this.#position));
  }

  async #readEarlierPosition(): Promise<number | null> {
    const { store, pool } = this.parts;
    const after = await readCheckpoint(pool, PROJECTION);
    return newestLedgerPosition(store, { after, eventsPerRead, timeoutMs: logEndWaitMs });
  }
}
