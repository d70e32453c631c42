import { randomUUID } from 'node:crypto';
import type { StoreBackend } from './contract.fixture.js';
import type { EventStore } from '../src/event-store.js';
import { PrefixedEventStore } from '../src/prefixed-event-store.js';

/** Creates a backend on a server that specs share, and that may have other data: its streams have a unique prefix. */
export async function createIsolatedBackend(open: () => Promise<EventStore>): Promise<StoreBackend> {
  const prefix = `${randomUUID()}/`;
  return { open: async () => new PrefixedEventStore(prefix, await open()), drop: async () => undefined };
}
