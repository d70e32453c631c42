import { describeAppending } from '../test/appending.contract.fixture.js';
import type { StoreBackend } from '../test/contract.fixture.js';
import type { StoredEvent } from './event-store.js';
import { describeSubscribing } from '../test/subscribing.contract.fixture.js';
import { InMemoryEventStore } from './in-memory-event-store.js';

async function createBackend(): Promise<StoreBackend> {
  let log: () => readonly StoredEvent[] = () => [];
  return {
    open: async () => {
      const store = new InMemoryEventStore(log());
      log = () => store.log();
      return store;
    },
    drop: async () => undefined,
  };
}

describe('InMemoryEventStore', () => {
  describeAppending(createBackend);
  describeSubscribing(createBackend);
});
