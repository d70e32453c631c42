import { EventStoreDbStandIn, eventually, FreezingPath } from '@settle/testing';
import { getNumbers, getOutcome, readAll, buildUnit } from './contract.fixture.js';
import { NO_STREAM } from './event-store.js';
import { EventStoreDbEventStore } from './eventstoredb-event-store.js';

const STREAM = 'wallet-on-a-frozen-path';

/** PostgreSQL checks a deadline in the append; EventStoreDB takes none, which is why its 504 promises less. */
describe('an append to EventStoreDB that a network delivers after its writer has given up', () => {
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

  it('given a path that freezes behind the append, when it delivers the append after the writer gave up, then the unit is stored although its outcome was unknown', async () => {
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    const frozen = path.freezeInside(STREAM, 0);
    const outcome = getOutcome(store.append(buildUnit(STREAM, NO_STREAM, 2)));
    await frozen;
    expect(await outcome).toBe('AppendOutcomeUnknown');
    expect(await getOutcome(readAll(store, STREAM))).toBe('StoreUnavailable');
    path.thaw();
    await eventually(async () => expect(getNumbers(await readAll(store, STREAM))).toEqual([2]), { timeoutMs: 15_000 });
  });
});
