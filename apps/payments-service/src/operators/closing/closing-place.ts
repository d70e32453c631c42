import { pollUntil } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import type { Pool } from 'pg';
import { PROJECTION, readCheckpoint } from '../../projection/checkpoints.js';
import { hasLostEvents, readCheckpointWithEvent } from '../../projection/lost-events.js';
import type { Clock } from '../../storage/clock.js';
import { ENVIRONMENT_STORAGE } from '../../storage/environments.js';
import { newestLedgerPosition } from '../../user-limits/newest-ledger-position.js';

const { silenceMs, outcomePollMs: everyMs } = LIMITS.operators;

/** The live ledger, beside the running payments-service. */
export interface ClosingPlace {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly clock: Clock;
}

/**
 * Waits until the read models show every event that is stored. Errors: they do not follow; they show events that the store
 * does not have; the store's events cannot be read.
 */
export async function awaitReadModels({ store, pool }: ClosingPlace): Promise<void> {
  const checkpoint = await readCheckpointWithEvent(pool, { schema: ENVIRONMENT_STORAGE.live.schema });
  if (await hasLostEvents(store, checkpoint)) {
    throw new Error('The event store lacks events of the read models: set EVENT_STORE as for payments-service');
  }
  const range = { after: checkpoint.position, eventsPerRead: LIMITS.eventStore.eventsPerRead, timeoutMs: silenceMs };
  const newest = await newestLedgerPosition(store, range);
  if (newest === null) throw new Error('The newest events cannot be read: does the event store respond?');
  const isShown = async () => (await readCheckpoint(pool, PROJECTION)) >= newest;
  if (await pollUntil(isShown, { everyMs, timeoutMs: silenceMs })) return;
  throw new Error('The read models do not follow the events: is payments-service running?');
}
