import { EventStoreDbStandIn } from '@settle/testing';
import { describeAppending } from './appending.contract.fixture.js';
import { EventStoreDbEventStore } from './eventstoredb-event-store.js';
import { describeSubscribing } from './subscribing.contract.fixture.js';
import { createIsolatedBackend } from './isolated-backend.fixture.js';

/**
 * A subscription soon hears how far the server has looked. What is stored is looked at here, not how quickly: on a busy
 * machine, too, an answer may take its time (`eventstoredb-faults` has the limits of the product).
 */
const limits = {
  windowsPerCheckpoint: 1,
  answerMs: 20_000,
  unitWaitMs: 40_000,
  appendGiveUpMs: 40_000,
  readGiveUpMs: 40_000,
};
const PREFIXES = { storesUnitsAtomically: false };

/** With `EVENTSTORE_URL`, as in `npm run test:eventstoredb`, on a real server too. */
const realServers = [process.env['EVENTSTORE_URL'] ?? ''].filter((url) => url !== '');

describe('EventStoreDbEventStore on a stand-in', () => {
  let standIn: EventStoreDbStandIn;
  const createPlace = () => createIsolatedBackend(() => EventStoreDbEventStore.open({ url: standIn.url, limits }));

  beforeAll(async () => {
    standIn = await EventStoreDbStandIn.start();
  });
  afterAll(() => standIn.stop());

  describeAppending(createPlace, PREFIXES);
  describeSubscribing(createPlace, PREFIXES);
});

for (const url of realServers) {
  describe('EventStoreDbEventStore on the server at EVENTSTORE_URL', () => {
    const createPlace = () => createIsolatedBackend(() => EventStoreDbEventStore.open({ url, limits }));

    describeAppending(createPlace, PREFIXES);
    describeSubscribing(createPlace, PREFIXES);
  });
}
