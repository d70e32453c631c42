import { eventually } from '@settle/testing';
import { getNumbers, Recorder } from '../test/contract.fixture.js';
import { PacedLog } from '../test/paced-log.fixture.js';
import { EventFeed } from './event-feed.js';
import { START, type StoredEvent, type SubscribeOptions, type Subscription } from './event-store.js';
import { FeedSubscription, type UnitsInFlight } from './feed-subscription.js';
import { EVENT_STORE_DB_LIMITS } from './limits.js';

const IDLE: UnitsInFlight = { expectsEventsAfter: () => false, settledListeners: new Set() };
const limits = { ...EVENT_STORE_DB_LIMITS, feedEvents: 4, feedStartEvents: 2, retryPauseMinMs: 1, retryPauseMaxMs: 2 };

describe('FeedSubscription', () => {
  let log: PacedLog;
  let feed: EventFeed;
  let checkLog: () => Promise<void>;
  let subscriptions: Subscription[];

  const sourceOf = () => ({ client: log, checkLog: () => checkLog(), observe: () => undefined });
  const started = () => eventually(() => expect(feed.isStarted).toBe(true));
  const append = (count: number, stream = 'wallet-1') => {
    for (let events = 0; events < count; events += 1) log.append(stream);
  };

  /** Subscribes and returns the recorder, whose events come after `handle`. */
  function subscribe(changed: Partial<SubscribeOptions> = {}, own = { units: IDLE, gatherMs: 5 }) {
    const recorder = new Recorder();
    const { handle = async () => undefined } = changed;
    const recorded = async (events: readonly StoredEvent[], upTo: number) => {
      await handle(events, upTo);
      recorder.record(events, upTo);
    };
    const options = recorder.options(['wallet-'], { ...changed, handle: recorded });
    const source = { ...sourceOf(), feed, units: own.units };
    const subscription = new FeedSubscription(options, source, { ...limits, gatherMs: own.gatherMs });
    subscriptions.push(subscription);
    return { recorder, subscription };
  }

  beforeEach(() => {
    subscriptions = [];
    checkLog = async () => undefined;
    log = new PacedLog();
    log.isFast = true;
    const options = {
      ...sourceOf(),
      readNewest: (limit: number) => log.readNewest(limit),
      streamPrefixes: ['wallet-', 'payment-'],
    };
    feed = new EventFeed(options, limits);
  });
  afterEach(() => Promise.all(subscriptions.map((subscription) => subscription.stop())));

  it('given several subscriptions at the end of the log, when events arrive, then all get the same ones from one subscription', async () => {
    const [one, other] = [subscribe(), subscribe({ streamPrefixes: ['payment-'] })];
    const both = subscribe({ streamPrefixes: ['payment-', 'wallet-'] });
    await started();
    append(2, 'payment-1');
    append(2);
    await both.recorder.waitForEvents(4);
    await Promise.all([one.recorder.waitForEvents(2), other.recorder.waitForEvents(2)]);
    const [first, second, third, fourth] = both.recorder.events;
    expect(other.recorder.events[0]).toBe(first);
    expect(other.recorder.events[1]).toBe(second);
    expect(one.recorder.events[0]).toBe(third);
    expect(one.recorder.events[1]).toBe(fourth);
    expect(log.startPositions).toEqual([START]);
  });

  it('given a log, when a subscription starts within its newest events, then only what follows is read', async () => {
    append(6);
    const { recorder } = subscribe({ after: 50 });
    await recorder.waitForEvents(1);
    append(1);
    await recorder.waitForEvents(2);
    expect(getNumbers(recorder.events)).toEqual([60, 70]);
    expect(log.startPositions).toEqual([60]);
  });

  it('given a log, when a subscription starts far behind, then it reads by itself until it can join', async () => {
    append(20);
    const { recorder } = subscribe({ batchSize: 3 });
    await recorder.waitForEvents(20);
    await eventually(() => expect(log.subscriptions.size).toBe(1));
    append(1);
    await recorder.waitForEvents(21);
    expect(getNumbers(recorder.events)).toEqual(log.events.map(({ position }) => position));
    expect(log.startPositions).toEqual([200, START]);
  });

  it('given a handler that does not resolve, when more events arrive than the feed keeps, then others get all, and it reads what it missed by itself', async () => {
    let resolve = (): void => undefined;
    const blocked = new Promise<void>((unblock) => (resolve = unblock));
    const slow = subscribe({ handle: () => blocked });
    const fast = subscribe();
    await started();
    for (let number = 1; number <= 20; number += 1) {
      append(1);
      await fast.recorder.waitForEvents(number);
    }
    expect([feed.covers(170), feed.covers(180)]).toEqual([false, true]);
    expect(log.subscriptions.size).toBe(1);
    resolve();
    await slow.recorder.waitForEvents(20);
    await eventually(() => expect(log.subscriptions.size).toBe(1));
    expect(slow.recorder.events).toEqual(fast.recorder.events);
    expect(log.startPositions).toHaveLength(2);
  });

  it('given a handler that always rejects, when events arrive, then others get them, and it is stopped at once', async () => {
    const failing = subscribe({ handle: () => Promise.reject(new Error('not written')) });
    const other = subscribe();
    append(3);
    await other.recorder.waitForEvents(3);
    await eventually(() => expect(failing.recorder.errors.length).toBeGreaterThan(2));
    await failing.subscription.stop();
    append(1);
    await other.recorder.waitForEvents(4);
    expect([failing.recorder.events, other.recorder.errors]).toEqual([[], []]);
  });

  it('given a lost connection, when it is back, then each subscription got one error and gets each event once', async () => {
    const all = [subscribe(), subscribe()];
    await started();
    append(2);
    await Promise.all(all.map(({ recorder }) => recorder.waitForEvents(2)));
    log.lose(0);
    append(2);
    await Promise.all(all.map(({ recorder }) => recorder.waitForEvents(4)));
    for (const { recorder } of all) {
      expect(getNumbers(recorder.events)).toEqual([10, 20, 30, 40]);
      expect(recorder.errors).toHaveLength(1);
    }
    expect(log.startPositions).toEqual([START, 20]);
  });

  it('given a log that went back, when the connection was lost, then each subscription gets the error', async () => {
    const all = [subscribe(), subscribe()];
    await started();
    append(1);
    await Promise.all(all.map(({ recorder }) => recorder.waitForEvents(1)));
    const failure = new Error('the log went back');
    checkLog = () => Promise.reject(failure);
    log.lose(0);
    await eventually(() => {
      for (const { recorder } of all) expect(recorder.errors).toContain(failure);
    });
    expect(log.startPositions).toEqual([START]);
  });

  it('given the last subscription, when it stops, then the server sends nothing more, and a later one goes on', async () => {
    const [one, other] = [subscribe(), subscribe()];
    append(1);
    await Promise.all([one.recorder.waitForEvents(1), other.recorder.waitForEvents(1)]);
    await one.subscription.stop();
    expect(log.subscriptions.size).toBe(1);
    await other.subscription.stop();
    expect(log.subscriptions.size).toBe(0);
    append(3);
    const { recorder } = subscribe({ after: other.recorder.upTo });
    await recorder.waitForEvents(3);
    expect(getNumbers(recorder.events)).toEqual([20, 30, 40]);
  });

  it('given only events of other streams, when the handler requests progress, then an empty batch has the new position', async () => {
    const { recorder } = subscribe({ progressAfterMs: 0 });
    const silent = subscribe();
    append(3, 'payment-1');
    await eventually(() => expect(recorder.upTo).toBe(30));
    append(1);
    await silent.recorder.waitForEvents(1);
    expect([recorder.events.length, silent.recorder.upTo]).toEqual([1, 40]);
  });

  it('given events of other streams and then none, when progress is due, then the handler receives the position', async () => {
    const { recorder } = subscribe({ progressAfterMs: 50 });
    append(1);
    await recorder.waitForEvents(1);
    append(2, 'payment-1');
    await eventually(() => expect(recorder.upTo).toBe(30));
    expect(recorder.events.length).toBe(1);
  });

  describe('given a unit of three events, which this process is storing', () => {
    let batches: number[][];
    const follow = (units: UnitsInFlight) => {
      batches = [];
      const handle = async (events: readonly StoredEvent[]) => void batches.push(getNumbers(events));
      subscribe({ handle }, { units, gatherMs: 60_000 });
    };

    it('when its events arrive, then they are delivered together with the last of them', async () => {
      follow({ ...IDLE, expectsEventsAfter: (position) => position < 30 });
      for (let number = 0; number < 3; number += 1) {
        append(1);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await eventually(() => expect(batches).toEqual([[10, 20, 30]]));
    });

    it('when it is rejected after its first event, then that event is delivered at once', async () => {
      const settledListeners = new Set<() => void>();
      let isUnderWay = true;
      follow({ expectsEventsAfter: () => isUnderWay, settledListeners });
      append(1);
      await eventually(() => expect(settledListeners.size).toBe(1));
      isUnderWay = false;
      await eventually(() => {
        for (const listener of settledListeners) listener();
        expect(batches).toEqual([[10]]);
      });
    });
  });
});
