import { randomUUID } from 'node:crypto';
import type { StorePlace } from './contract.fixture.js';
import type { EventStore } from './event-store.js';
import { PrefixedEventStore } from './prefixed-event-store.js';

/** A place on a server that specs share, and that may hold whatever else: its streams have names of their own. */
export async function ownPlaceOn(open: () => Promise<EventStore>): Promise<StorePlace> {
  const prefix = `${randomUUID()}/`;
  return { open: async () => new PrefixedEventStore(prefix, await open()), drop: async () => undefined };
}
