import { describeAppending } from '../test/appending.contract.fixture.js';
import { Recorder, readAll, buildUnit, type StoreBackend } from '../test/contract.fixture.js';
import { NO_STREAM, type StoredEvent } from './event-store.js';
import { describeSubscribing } from '../test/subscribing.contract.fixture.js';
import { InMemoryEventStore } from './in-memory-event-store.js';
import { PrefixedEventStore } from './prefixed-event-store.js';

async function createBackend(): Promise<StoreBackend> {
  let log: () => readonly StoredEvent[] = () => [];
  return {
    open: async () => {
      const store = new InMemoryEventStore(log());
      log = () => store.log();
      return new PrefixedEventStore('apart-', store);
    },
    drop: async () => undefined,
  };
}

describe('PrefixedEventStore', () => {
  describeAppending(createBackend);
  describeSubscribing(createBackend);

  it('given two prefixes on one store, when both write to a stream with the same name, then each has its own events', async () => {
    const store = new InMemoryEventStore();
    const [left, right] = [new PrefixedEventStore('left-', store), new PrefixedEventStore('right-', store)];
    const recorder = new Recorder();
    const subscription = left.subscribe(recorder.options(['wallet-']));
    await left.append(buildUnit('wallet-1', NO_STREAM, 1));
    await right.append(buildUnit('wallet-1', NO_STREAM, 2));
    await store.append(buildUnit('wallet-1', NO_STREAM, 3));
    await left.append(buildUnit('wallet-1', 0, 4));
    await recorder.waitForEvents(2);
    await subscription.stop();
    expect(recorder.events.map(({ stream, data }) => [stream, (data as { number: number }).number])).toEqual([
      ['wallet-1', 1],
      ['wallet-1', 4],
    ]);
    expect(await readAll(right, 'wallet-1')).toMatchObject([{ stream: 'wallet-1', data: { number: 2 } }]);
    expect(store.log().map(({ stream }) => stream)).toEqual([
      'left-wallet-1',
      'right-wallet-1',
      'wallet-1',
      'left-wallet-1',
    ]);
  });
});
