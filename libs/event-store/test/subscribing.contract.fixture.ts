import { eventually } from '@settle/testing';
import {
  buildAppend,
  expectInOrderWithoutGaps,
  getNumbers,
  Recorder,
  buildUnit,
  ATOMIC_UNITS,
  type StoreBackend,
} from './contract.fixture.js';
import { NO_STREAM, type EventStore } from '../src/event-store.js';

/** The contract of every adapter for subscriptions. */
export function describeSubscribing(
  createBackend: () => Promise<StoreBackend>,
  { storesUnitsAtomically } = ATOMIC_UNITS,
): void {
  let backend: StoreBackend;
  let store: EventStore;

  beforeEach(async () => {
    backend = await createBackend();
    store = await backend.open();
  });
  afterEach(async () => {
    await store.close();
    await backend.drop();
  });

  it('given earlier and later events, when a subscription starts at the beginning, then each is delivered once and in order', async () => {
    await store.append(buildUnit('wallet-1', NO_STREAM, 1, 2));
    const recorder = new Recorder();
    store.subscribe(recorder.options(['wallet-']));
    await recorder.waitForEvents(2);
    const { position } = await store.append([buildAppend('wallet-1', 1, [3]), buildAppend('wallet-2', NO_STREAM, [4])]);
    await recorder.waitForEvents(4);
    expect(getNumbers(recorder.events)).toEqual([1, 2, 3, 4]);
    expect(recorder.upTo).toBe(position);
  });

  it('given several streams, when a subscription has prefixes, then it delivers only matching streams and its position passes all', async () => {
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
    // The last event does not match: where events arrive one by one, it may arrive after the batch.
    const passed = storesUnitsAtomically ? [position] : [recorder.events[1]!.position, position];
    expect(passed).toContain(recorder.upTo);
  });

  it('given only events of other streams, when the handler requests progress, then an empty batch has the new position', async () => {
    const recorder = new Recorder();
    const { position } = await store.append(
      buildUnit('sandbox-1', NO_STREAM, ...Array.from({ length: 100 }, (_, number) => number)),
    );
    const notified = new Promise<void>((resolve) => {
      const handle = async (events: Parameters<typeof recorder.record>[0], upTo: number) => {
        recorder.record(events, upTo);
        if (upTo >= (storesUnitsAtomically ? position : 1)) resolve();
      };
      store.subscribe(recorder.options(['wallet-'], { progressAfterMs: 0, handle }));
    });
    await notified;
    expect(recorder.events).toEqual([]);
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    await recorder.waitForEvents(1);
    expect(getNumbers(recorder.events)).toEqual([1]);
  });

  it('given events of other streams and then none, when progress is due, then the handler receives the position', async () => {
    const recorder = new Recorder();
    store.subscribe(recorder.options(['wallet-'], { progressAfterMs: 100 }));
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    await recorder.waitForEvents(1);
    const { position } = await store.append(buildUnit('sandbox-1', NO_STREAM, 1));
    await eventually(() => expect(recorder.upTo).toBeGreaterThanOrEqual(storesUnitsAtomically ? position : 1));
    expect(getNumbers(recorder.events)).toEqual([1]);
  });

  it('given a position, when a subscription starts after it, then it skips the events up to the position', async () => {
    await store.append(buildUnit('wallet-1', NO_STREAM, 1, 2));
    const { position } = await store.append(buildUnit('wallet-1', 1, 3));
    await store.append(buildUnit('wallet-1', 2, 4, 5));
    const recorder = new Recorder();
    store.subscribe(recorder.options(['wallet-'], { after: position }));
    await recorder.waitForEvents(2);
    expect(getNumbers(recorder.events)).toEqual([4, 5]);
  });

  it('given a batch size, when more events are stored, then no batch is larger and batches are handled one by one', async () => {
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

  it('given a handler that rejects, when the batch is delivered again, then it is the same until the handler resolves', async () => {
    const recorder = new Recorder();
    const deliveries: number[][] = [];
    const handle = async (events: Parameters<typeof recorder.record>[0], upTo: number) => {
      deliveries.push(getNumbers(events));
      if (deliveries.length === 1) await store.append(buildUnit('wallet-1', 1, 3));
      if (deliveries.length < 4) throw new Error(`try ${deliveries.length}`);
      recorder.record(events, upTo);
    };
    await store.append(buildUnit('wallet-1', NO_STREAM, 1, 2));
    store.subscribe(recorder.options(['wallet-'], { handle }));
    await recorder.waitForEvents(3);
    expect(deliveries.slice(0, 4)).toEqual(Array(4).fill(storesUnitsAtomically ? [1, 2] : deliveries[0]));
    expect(deliveries.slice(3).flat()).toEqual([1, 2, 3]);
    expect(recorder.errors).toHaveLength(3);
  });

  it('given a batch in progress, when the subscription is stopped, then it waits for the batch and delivers no other', async () => {
    const recorder = new Recorder();
    let start: () => void;
    let finish: () => void;
    const started = new Promise<void>((resolve) => (start = resolve));
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const handle = async (events: Parameters<typeof recorder.record>[0], upTo: number) => {
      start();
      await finished;
      recorder.record(events, upTo);
    };
    const subscription = store.subscribe(recorder.options(['wallet-'], { handle, batchSize: 1 }));
    await store.append(buildUnit('wallet-1', NO_STREAM, 1, 2, 3));
    await started;
    let stopped = false;
    const stopping = subscription.stop().then(() => (stopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);
    finish!();
    await stopping;
    await store.append(buildUnit('wallet-1', 2, 4));
    expect(getNumbers(recorder.events)).toEqual([1]);
  });

  it('given a store that is opened again, when a subscription resumes at its last position, then no event is missed', async () => {
    const recorder = new Recorder();
    const subscription = store.subscribe(recorder.options(['wallet-']));
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    await recorder.waitForEvents(1);
    await subscription.stop();
    await store.append(buildUnit('wallet-1', 0, 2));
    await store.close();
    store = await backend.open();
    store.subscribe(recorder.options(['wallet-'], { after: recorder.upTo }));
    await store.append(buildUnit('wallet-1', 1, 3));
    await recorder.waitForEvents(3);
    expect(getNumbers(recorder.events)).toEqual([1, 2, 3]);
  });

  it('given 10,000 events of many streams and writers, when a subscription reads them, then each is delivered once and in order', async () => {
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
