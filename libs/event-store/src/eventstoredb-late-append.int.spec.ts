import { EventStoreDbStandIn, eventually, FreezingPath } from '@settle/testing';
import { getNumbers, getOutcome, readAll, buildUnit } from '../test/contract.fixture.js';
import { NO_STREAM } from './event-store.js';
import { EventStoreDbEventStore } from './eventstoredb-event-store.js';

const STREAM = 'wallet-on-a-frozen-path';

/** An append to PostgreSQL has a deadline; EventStoreDB has none, so its 504 guarantees less. */
describe('an append to EventStoreDB that the network delivers after its writer has given up', () => {
  let standIn: EventStoreDbStandIn;
  let path: FreezingPath;
  let store: EventStoreDbEventStore;

  beforeEach(async () => {
    standIn = await EventStoreDbStandIn.start();
    path = await FreezingPath.to(standIn.url);
    store = await EventStoreDbEventStore.open({ url: path.url });
  });
  afterEach(async () => {
    path.thaw();
    await store.close();
    await path.close();
    await standIn.stop();
  });

  it('given a frozen network path, when it delivers the append after the writer has given up, then the unit is stored', async () => {
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    const frozen = path.freezeInside(STREAM, 0);
    const outcome = getOutcome(store.append(buildUnit(STREAM, NO_STREAM, 2)));
    await frozen;
    expect(await outcome).toBe('AppendOutcomeUnknown');
    expect(await getOutcome(readAll(store, STREAM))).toBe('StoreUnavailable');
    path.thaw();
    await eventually(async () => expect(getNumbers(await readAll(store, STREAM))).toEqual([2]));
  });
});
