import { EventStoreDbStandIn, eventually } from '@settle/testing';
import { describeOtherWriters } from '../test/waiting-units.contract.fixture.js';
import { describeAppending } from '../test/appending.contract.fixture.js';
import { buildUnit } from '../test/contract.fixture.js';
import { NO_STREAM, RevisionConflict, type StoredEvent } from './event-store.js';
import { EventStoreDbEventStore } from './eventstoredb-event-store.js';
import { describeSubscribing } from '../test/subscribing.contract.fixture.js';
import { createIsolatedBackend } from '../test/isolated-backend.fixture.js';

/**
 * Frequent checkpoints, and long time limits: these specs check results and not timing, also on a busy machine. The
 * `eventstoredb-faults` spec uses the limits of the product.
 */
const limits = {
  windowsPerCheckpoint: 1,
  answerMs: 20_000,
  unitWaitMs: 40_000,
  appendGiveUpMs: 40_000,
  readGiveUpMs: 40_000,
};
const EVERY_STREAM = [''];
const NON_ATOMIC_UNITS = { storesUnitsAtomically: false };

/** `npm run test:eventstoredb` sets `EVENTSTORE_URL` to test a real server, too. */
const realServers = [process.env['EVENTSTORE_URL'] ?? ''].filter((url) => url !== '');

describe('EventStoreDbEventStore on a stand-in', () => {
  let standIn: EventStoreDbStandIn;
  const createBackend = (sharedPrefixes: readonly string[] = []) =>
    createIsolatedBackend(() => EventStoreDbEventStore.open({ url: standIn.url, limits, sharedPrefixes }));

  beforeAll(async () => {
    standIn = await EventStoreDbStandIn.start();
  });
  afterAll(() => standIn.stop());

  describeAppending(createBackend, NON_ATOMIC_UNITS);

  describeOtherWriters(createBackend);
  describeSubscribing(createBackend, NON_ATOMIC_UNITS);

  it('given a cluster, when the store reads, then it asks the leader', async () => {
    const before = await standIn.state();
    const store = await EventStoreDbEventStore.open({ url: standIn.url, limits });
    const stream = 'read-by-leader';
    await store.append(buildUnit(stream, NO_STREAM, 1));
    await expect(store.append(buildUnit(stream, NO_STREAM, 2))).rejects.toThrow(RevisionConflict);
    await expect(store.readStream(stream, { direction: 'forwards', limit: 10 })).resolves.toHaveLength(1);
    await store.newestPosition();
    await store.close();
    expect((await standIn.state()).readsOfAnyNode).toBe(before.readsOfAnyNode);
  });

  it('given a stream that a subscription has followed, when it is read back from a revision, then the server is not asked', async () => {
    const stream = 'read-from-memory';
    const store = await EventStoreDbEventStore.open({ url: standIn.url, limits, sharedPrefixes: [stream] });
    const after = await store.newestPosition();
    const handled: StoredEvent[] = [];
    const handle = async (events: readonly StoredEvent[]) => void handled.push(...events);
    store.subscribe({ streamPrefixes: [stream], after, batchSize: 10, handle, onError: () => undefined });
    await store.append(buildUnit(stream, NO_STREAM, 1, 2, 3));
    await eventually(() => expect(handled).toHaveLength(3));
    await standIn.fail({ notReady: true });
    const read = store.readStream(stream, { direction: 'backwards', fromRevision: 1, limit: 10 });
    await expect(read).resolves.toEqual(handled.slice(0, 2).reverse());
    await standIn.fail({ notReady: false });
    await store.close();
  });

  describe('with one subscription for all', () => {
    describeSubscribing(() => createBackend(EVERY_STREAM), NON_ATOMIC_UNITS);
  });
});

describe('EventStoreDbEventStore on a stand-in with the timing of a server', () => {
  let standIn: EventStoreDbStandIn;
  const createBackend = () => createIsolatedBackend(() => EventStoreDbEventStore.open({ url: standIn.url, limits }));

  beforeAll(async () => {
    standIn = await EventStoreDbStandIn.start();
    await standIn.fail({ isServerTimed: true });
  });
  afterAll(() => standIn.stop());

  describeAppending(createBackend, NON_ATOMIC_UNITS);

  describeOtherWriters(createBackend);
});

for (const url of realServers) {
  describe('EventStoreDbEventStore on the server at EVENTSTORE_URL', () => {
    const createBackend = (sharedPrefixes: readonly string[] = []) =>
      createIsolatedBackend(() => EventStoreDbEventStore.open({ url, limits, sharedPrefixes }));

    describeAppending(createBackend, NON_ATOMIC_UNITS);

    describeOtherWriters(createBackend);
    describeSubscribing(createBackend, NON_ATOMIC_UNITS);

    describe('with one subscription for all', () => {
      describeSubscribing(() => createBackend(EVERY_STREAM), NON_ATOMIC_UNITS);
    });
  });
}
