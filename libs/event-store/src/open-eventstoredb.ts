import type { EventStore } from './event-store.js';
import type { EventStoreDbOptions } from './limits.js';

/**
 * Opens the event store in EventStoreDB. Loads its client on demand: loading takes a fifth of the start of a process that
 * stores events in PostgreSQL. Errors: the URL is invalid, or the server is unavailable or too old.
 */
export async function openEventStoreDb(options: EventStoreDbOptions): Promise<EventStore> {
  const { EventStoreDbEventStore } = await import('./eventstoredb-event-store.js');
  return EventStoreDbEventStore.open(options);
}
