import { pollUntil } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import type { Pool } from 'pg';
import { PROJECTION, readCheckpoint } from '../../projection/checkpoints.js';
import type { Clock } from '../../storage/clock.js';
import { newestLedgerPosition } from '../../user-limits/newest-ledger-position.js';

const { silenceMs, outcomePollMs: everyMs } = LIMITS.operators;

/** The live ledger, beside the running payments-service. */
export interface ClosingPlace {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly clock: Clock;
}

/**
 * Waits until the read models show every event that is stored. Errors: they do not follow; they show more events than the
 * store has.
 */
export async function awaitReadModels({ store, pool }: ClosingPlace): Promise<void> {
  const after = await readCheckpoint(pool, PROJECTION);
  if ((await store.newestPosition()) < after) {
    throw new Error('The event store has fewer events than the read models: set EVENT_STORE as for payments-service');
  }
  const range = { after, eventsPerRead: LIMITS.eventStore.eventsPerRead, timeoutMs: silenceMs };
  const newest = await newestLedgerPosition(store, range);
  const isShown = async () => (await readCheckpoint(pool, PROJECTION)) >= newest;
  if (await pollUntil(isShown, { everyMs, timeoutMs: silenceMs })) return;
  throw new Error('The read models do not follow the events: is payments-service running?');
}
