import {
  buildAppend,
  expectInOrderWithoutGaps,
  getNumbers,
  Recorder,
  buildUnit,
  ATOMIC_UNITS,
  type StoreBackend,
} from './contract.fixture.js';
import { NO_STREAM, type EventStore } from './event-store.js';

/** What every adapter promises about subscriptions. */
export function describeSubscribing(
  createPlace: () => Promise<StoreBackend>,
  { storesUnitsAtomically } = ATOMIC_UNITS,
): void {
  let place: StoreBackend;
  let store: EventStore;

  beforeEach(async () => {
    place = await createPlace();
    store = await place.open();
  });
  afterEach(async () => {
    await store.close();
    await place.drop();
  });

  it('given events before and after, when followed from the start, then each comes once and in order', async () => {
    await store.append(buildUnit('wallet-1', NO_STREAM, 1, 2));
    const recorder = new Recorder();
    store.subscribe(recorder.options(['wallet-']));
    await recorder.waitForEvents(2);
    const { position } = await store.append([buildAppend('wallet-1', 1, [3]), buildAppend('wallet-2', NO_STREAM, [4])]);
    await recorder.waitForEvents(4);
    expect(getNumbers(recorder.events)).toEqual([1, 2, 3, 4]);
    expect(recorder.upTo).toBe(position);
  });

  it('given other streams, when some prefixes are followed, then only theirs come, and the position passes all', async () => {
    const recorder = new Recorder();
    await store.append([buildAppend('sandbox-1', NO_STREAM, [1]), buildAppend('wallet-1', NO_STREAM, [2])]);
    store.subscribe(recorder.options(['wallet-', 'payment-']));
    await recorder.waitForEvents(1);
    const { position } = await store.append([
      buildAppend('sandbox-1', 0, [3]),
      buildAppend('payment-1', NO_STREAM, [4]),
      buildAppend('sandbox-1', 1, [5]),
    ]);
    await recorder.waitForEvents(2);
    expect(getNumbers(recorder.events)).toEqual([2, 4]);
    // The last event is another stream's: where events come one by one, it is passed with the next that is followed.
    expect(recorder.upTo).toBe(storesUnitsAtomically ? position : recorder.events[1]!.position);
  });

  it('given only other streams, when the handler wants to be told, then an empty batch says how far they came', async () => {
    const recorder = new Recorder();
    const { position } = await store.append(
      buildUnit('sandbox-1', NO_STREAM, ...Array.from({ length: 100 }, (_, number) => number)),
    );
    const told = new Promise<void>((resolve) => {
      const handle = async (events: Parameters<typeof recorder.record>[0], upTo: number) => {
        recorder.record(events, upTo);
        if (upTo >= (storesUnitsAtomically ? position : 1)) resolve();
      };
      store.subscribe(recorder.options(['wallet-'], { tellAfterMs: 0, handle }));
    });
    await told;
    expect(recorder.events).toEqual([]);
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    await recorder.waitForEvents(1);
    expect(getNumbers(recorder.events)).toEqual([1]);
  });

  it('given a position, when followed from there, then what came up to it is left out', async () => {
    await store.append(buildUnit('wallet-1', NO_STREAM, 1, 2));
    const { position } = await store.append(buildUnit('wallet-1', 1, 3));
    await store.append(buildUnit('wallet-1', 2, 4, 5));
    const recorder = new Recorder();
    store.subscribe(recorder.options(['wallet-'], { after: position }));
    await recorder.waitForEvents(2);
    expect(getNumbers(recorder.events)).toEqual([4, 5]);
  });

  it('given a batch size, when more waits, then no batch is larger and the next waits for the one before', async () => {
    await store.append(buildUnit('wallet-1', NO_STREAM, ...Array.from({ length: 25 }, (_, number) => number)));
    const recorder = new Recorder();
    let running = 0;
    const sizes: number[] = [];
    const handle = async (events: Parameters<typeof recorder.record>[0], upTo: number) => {
      running += 1;
      expect(running).toBe(1);
      sizes.push(events.length);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      recorder.record(events, upTo);
    };
    store.subscribe(recorder.options(['wallet-'], { batchSize: 10, handle }));
    await recorder.waitForEvents(25);
    await store.append(buildUnit('wallet-1', 24, ...Array.from({ length: 15 }, (_, number) => number)));
    await recorder.waitForEvents(40);
    if (storesUnitsAtomically) expect(sizes).toEqual([10, 10, 5, 10, 5]);
    else expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
    expectInOrderWithoutGaps(recorder.events);
  });

  it('given a handler that rejects, when it is called again, then it gets the same batch until it succeeds', async () => {
    const recorder = new Recorder();
    const given: number[][] = [];
    const handle = async (events: Parameters<typeof recorder.record>[0], upTo: number) => {
      given.push(getNumbers(events));
      if (given.length === 1) await store.append(buildUnit('wallet-1', 1, 3));
      if (given.length < 4) throw new Error(`try ${given.length}`);
      recorder.record(events, upTo);
    };
    await store.append(buildUnit('wallet-1', NO_STREAM, 1, 2));
    store.subscribe(recorder.options(['wallet-'], { handle }));
    await recorder.waitForEvents(3);
    expect(given.slice(0, 4)).toEqual(Array(4).fill(storesUnitsAtomically ? [1, 2] : given[0]));
    expect(given.slice(3).flat()).toEqual([1, 2, 3]);
    expect(recorder.errors).toHaveLength(3);
  });

  it('given a running batch, when the subscription is stopped, then it waits for it and no other begins', async () => {
    const recorder = new Recorder();
    let begin: () => void;
    let finish: () => void;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const handle = async (events: Parameters<typeof recorder.record>[0], upTo: number) => {
      begin();
      await finished;
      recorder.record(events, upTo);
    };
    const subscription = store.subscribe(recorder.options(['wallet-'], { handle, batchSize: 1 }));
    await store.append(buildUnit('wallet-1', NO_STREAM, 1, 2, 3));
    await begun;
    let stopped = false;
    const stopping = subscription.stop().then(() => (stopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);
    finish!();
    await stopping;
    await store.append(buildUnit('wallet-1', 2, 4));
    expect(getNumbers(recorder.events)).toEqual([1]);
  });

  it('given a store that is opened again, when followed from where it was left, then nothing is missed', async () => {
    const recorder = new Recorder();
    const subscription = store.subscribe(recorder.options(['wallet-']));
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    await recorder.waitForEvents(1);
    await subscription.stop();
    await store.append(buildUnit('wallet-1', 0, 2));
    await store.close();
    store = await place.open();
    store.subscribe(recorder.options(['wallet-'], { after: recorder.upTo }));
    await store.append(buildUnit('wallet-1', 1, 3));
    await recorder.waitForEvents(3);
    expect(getNumbers(recorder.events)).toEqual([1, 2, 3]);
  });

  it('given 10,000 events of many streams and writers, when followed, then each comes once and in order', async () => {
    const recorder = new Recorder();
    store.subscribe(recorder.options(['wallet-'], { batchSize: 1_000 }));
    const writers = Array.from({ length: 100 }, async (_, writer) => {
      for (let number = 0; number < 100; number += 1) {
        await store.append(buildUnit(`wallet-${writer}`, number - 1, number));
      }
    });
    await Promise.all(writers);
    await recorder.waitForEvents(10_000);
    expect(recorder.events).toHaveLength(10_000);
    expect(new Set(recorder.events.map(({ id }) => id)).size).toBe(10_000);
    expectInOrderWithoutGaps(recorder.events);
    const late = new Recorder();
    store.subscribe(late.options(['wallet-'], { batchSize: 1_000 }));
    await late.waitForEvents(10_000);
    expect(late.events).toEqual(recorder.events);
  });
}
