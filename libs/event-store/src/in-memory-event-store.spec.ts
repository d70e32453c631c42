import { describeAppending } from './appending.contract.fixture.js';
import type { StorePlace } from './contract.fixture.js';
import type { StoredEvent } from './event-store.js';
import { describeFollowing } from './following.contract.fixture.js';
import { InMemoryEventStore } from './in-memory-event-store.js';

async function createPlace(): Promise<StorePlace> {
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
  describeAppending(createPlace);
  describeFollowing(createPlace);
});
