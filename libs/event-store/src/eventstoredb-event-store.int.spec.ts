import { EventStoreDbStandIn } from '@settle/testing';
import { describeAppending } from './appending.contract.fixture.js';
import { EventStoreDbEventStore } from './eventstoredb-event-store.js';
import { describeFollowing } from './following.contract.fixture.js';
import { ownPlaceOn } from './own-streams.fixture.js';

const PREFIXES = { storesWholeUnits: false };

describe('EventStoreDbEventStore on a stand-in', () => {
  let standIn: EventStoreDbStandIn;
  const createPlace = () => ownPlaceOn(() => EventStoreDbEventStore.open({ url: standIn.url }));

  beforeAll(async () => {
    standIn = await EventStoreDbStandIn.start();
  });
  afterAll(() => standIn.stop());

  describeAppending(createPlace, PREFIXES);
  describeFollowing(createPlace, PREFIXES);
});

const ownServer = process.env['EVENTSTORE_URL'] ?? '';

/** `npm run test:eventstoredb` with `EVENTSTORE_URL`: the same on a real server. */
(ownServer === '' ? describe.skip : describe)('EventStoreDbEventStore on the server at EVENTSTORE_URL', () => {
  const createPlace = () => ownPlaceOn(() => EventStoreDbEventStore.open({ url: ownServer }));

  describeAppending(createPlace, PREFIXES);
  describeFollowing(createPlace, PREFIXES);
});
