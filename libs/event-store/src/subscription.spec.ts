import { eventually } from '@settle/testing';
import { getNumbers, Recorder } from '../test/contract.fixture.js';
import type { StoredEvent } from './event-store.js';
import { EVENT_STORE_LIMITS } from './limits.js';
import { LogSubscription } from './subscription.js';

const event = (position: number): StoredEvent => ({
  id: `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`,
  stream: 'wallet-1',
  revision: position - 1,
  type: 'Counted',
  data: { number: position },
  position,
});

describe('LogSubscription', () => {
  const log: StoredEvent[] = [];
  let reads = 0;
  const readPage = async (after: number, limit: number) => {
    reads += 1;
    const events = log.filter(({ position }) => position > after).slice(0, limit);
    return { events, upTo: events.at(-1)?.position ?? after };
  };
  const limits = { ...EVENT_STORE_LIMITS, pollMs: 60_000, eventsWaiting: 5 };
  const append = (subscription: LogSubscription, ...positions: number[]) => {
    const events = positions.map(event);
    log.push(...events);
    subscription.feed(events);
  };

  beforeEach(() => {
    log.length = 0;
    reads = 0;
  });

  it('given events that continue the position, when they are fed, then the log is not read again', async () => {
    const recorder = new Recorder();
    const subscription = new LogSubscription(recorder.options(['wallet-']), readPage, limits);
    for (let position = 1; position < 50; position += 2) {
      append(subscription, position, position + 1);
      await recorder.waitForEvents(position + 1);
    }
    await subscription.stop();
    expect(getNumbers(recorder.events)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(reads).toBeLessThanOrEqual(1);
  });

  it('given a gap, when the events after it are fed, then the log is read and no event is missed', async () => {
    const recorder = new Recorder();
    const subscription = new LogSubscription(recorder.options(['wallet-']), readPage, limits);
    append(subscription, 1, 2);
    await recorder.waitForEvents(2);
    log.push(event(3));
    append(subscription, 4, 5);
    await recorder.waitForEvents(5);
    await subscription.stop();
    expect(getNumbers(recorder.events)).toEqual([1, 2, 3, 4, 5]);
  });

  it('given a hint, when others append more without hints, then the log is polled often until they stop', async () => {
    const recorder = new Recorder();
    const fastLimits = { ...limits, busyPollMs: 1, busyForMs: 50 };
    const subscription = new LogSubscription(recorder.options(['wallet-']), readPage, fastLimits);
    log.push(event(1));
    subscription.hint(1);
    await recorder.waitForEvents(1);
    log.push(event(2));
    await recorder.waitForEvents(2);
    await eventually(async () => {
      const before = reads;
      await new Promise((resolve) => setTimeout(resolve, 2 * fastLimits.busyForMs));
      expect(reads).toBe(before);
    });
    await subscription.stop();
  });

  it('given fed events, when a hint announces them, then the log is not polled often', async () => {
    const recorder = new Recorder();
    const fastLimits = { ...limits, busyPollMs: 1 };
    const subscription = new LogSubscription(recorder.options(['wallet-']), readPage, fastLimits);
    append(subscription, 1);
    subscription.hint(1);
    await recorder.waitForEvents(1);
    await new Promise((resolve) => setTimeout(resolve, 30 * fastLimits.busyPollMs));
    await subscription.stop();
    expect(reads).toBeLessThanOrEqual(1);
  });

  it('given events of others that the filter excludes, when a hint announces them, then the log is not polled often', async () => {
    const recorder = new Recorder();
    const fastLimits = { ...limits, busyPollMs: 1 };
    const readNone = async (after: number, limit: number) => ({ ...(await readPage(after, limit)), events: [] });
    const subscription = new LogSubscription(recorder.options(['payment-']), readNone, fastLimits);
    await eventually(async () => expect(reads).toBe(1));
    log.push(event(1));
    subscription.hint(1);
    await new Promise((resolve) => setTimeout(resolve, 30 * fastLimits.busyPollMs));
    await subscription.stop();
    expect(reads).toBeLessThanOrEqual(3);
  });

  it('given a slow handler, when more events are fed than fit in memory, then the log is read and no event is missed', async () => {
    const recorder = new Recorder();
    let first = true;
    const handle = async (events: readonly StoredEvent[], upTo: number) => {
      if (first) {
        first = false;
        for (let position = 2; position <= 20; position += 2) append(subscription, position, position + 1);
      }
      recorder.record(events, upTo);
    };
    const subscription: LogSubscription = new LogSubscription(
      recorder.options(['wallet-'], { handle }),
      readPage,
      limits,
    );
    append(subscription, 1);
    await recorder.waitForEvents(21);
    await subscription.stop();
    expect(getNumbers(recorder.events)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
  });

  it('given a hint during a batch, when the batch is handled, then the log is read at once', async () => {
    const recorder = new Recorder();
    const handle = async (events: readonly StoredEvent[], upTo: number) => {
      if (upTo === 2) {
        log.push(event(3));
        subscription.hint(3);
      }
      recorder.record(events, upTo);
    };
    const subscription: LogSubscription = new LogSubscription(
      recorder.options(['wallet-'], { handle }),
      readPage,
      limits,
    );
    append(subscription, 1, 2);
    await recorder.waitForEvents(3);
    const readsUntilThen = reads;
    subscription.hint(3);
    append(subscription, 4);
    await recorder.waitForEvents(4);
    await subscription.stop();
    expect([getNumbers(recorder.events), reads]).toEqual([[1, 2, 3, 4], readsUntilThen]);
  });
});
