import { TOPICS } from '@settle/contracts';
import { createLogger } from '@settle/observability';
import { InMemoryBus, type EventEnvelope, type InMemoryBusOptions, type RequestEnvelope } from './index.js';
import type { BusUnderTest } from '../test/bus-under-test.fixture.js';
import { describeMessageBus } from '../test/message-bus.contract.fixture.js';

const logger = createLogger({ level: 'silent', service: 'spec' });
const topic = TOPICS.paymentsQueries;

const startWith = (options: Partial<InMemoryBusOptions>) => async (): Promise<BusUnderTest> => {
  const bus = new InMemoryBus({ logger, ...options });
  return { caller: bus, server: bus, ready: async () => undefined, close: () => bus.close() };
};

describeMessageBus('in memory', startWith({}));
describeMessageBus('in memory, through JSON', startWith({ copyMessages: true }));

const ask = (pattern: string, payload: object = {}, timeoutMs = 5000): RequestEnvelope => {
  return { topic, pattern, key: 'k', payload, requestId: 'r', timeoutMs };
};

const tell = (n: number): EventEnvelope => ({ topic, pattern: 'told', key: 'k', payload: { n } });

/** A handler that answers when told to. */
function gate() {
  const releases: (() => void)[] = [];
  let begun = 0;
  const pass = (): Promise<void> => {
    begun += 1;
    return new Promise((resolve) => releases.push(resolve));
  };
  const open = (): void => releases.splice(0).forEach((release) => release());
  return { pass, open, begun: () => begun };
}

describe('in-memory bus', () => {
  it('given no handler, when asked, then the service is unavailable', async () => {
    await expect(new InMemoryBus({ logger }).request(ask('none'))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });

  it('given a second handler of a pattern or follower of a group, when registered, then it is refused', () => {
    const bus = new InMemoryBus({ logger });
    bus.handle(topic, 'twice', async () => ({}));
    bus.consume(topic, 'twice', 'group', async () => undefined);
    expect(() => bus.handle(topic, 'twice', async () => ({}))).toThrow('Two handlers');
    expect(() => bus.consume(topic, 'twice', 'group', async () => undefined)).toThrow('Two consumers');
  });

  it('given all places taken, when asked once more, then it is refused at once and the others are answered', async () => {
    const bus = new InMemoryBus({ logger, requests: { inProgress: 2, waiting: 1 } });
    const { pass, open, begun } = gate();
    bus.handle(topic, 'held', async (payload) => {
      await pass();
      return payload;
    });
    const answers = [1, 2, 3].map((n) => bus.request(ask('held', { n })));
    await expect(bus.request(ask('held'))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(begun()).toBe(2);
    open();
    await answers[0];
    expect(begun()).toBe(3);
    open();
    expect(await Promise.all(answers)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('given a request that expired while it waited, when its turn comes, then its handler never runs', async () => {
    const bus = new InMemoryBus({ logger, requests: { inProgress: 1, waiting: 5 } });
    const { pass, open } = gate();
    const ran: number[] = [];
    bus.handle(topic, 'one', async (payload) => {
      const { n } = payload as { n: number };
      ran.push(n);
      if (n === 1) await pass();
      return payload;
    });
    const first = bus.request(ask('one', { n: 1 }));
    const expired = bus.request(ask('one', { n: 2 }, 10));
    const patient = bus.request(ask('one', { n: 3 }));
    await expect(expired).rejects.toMatchObject({ code: 'outcome_unknown' });
    open();
    await Promise.all([first, patient]);
    expect(ran).toEqual([1, 3]);
  });

  it('given full places of one topic, when another topic is asked, then it is answered', async () => {
    const bus = new InMemoryBus({ logger, requests: { inProgress: 1, waiting: 0 } });
    const { pass, open } = gate();
    bus.handle(topic, 'held', async () => pass().then(() => ({})));
    bus.handle(TOPICS.usersRequests, 'free', async () => ({ free: true }));
    const held = bus.request(ask('held'));
    await expect(bus.request({ ...ask('free'), topic: TOPICS.usersRequests })).resolves.toEqual({ free: true });
    open();
    await held;
  });

  it('given messages through JSON, when the receiver changes one, then the sender keeps its own', async () => {
    const bus = new InMemoryBus({ logger, copyMessages: true });
    bus.handle(topic, 'change', async (payload) => Object.assign(payload, { changed: true }));
    const payload = { at: new Date(0) };
    await expect(bus.request(ask('change', payload))).resolves.toEqual({
      at: '1970-01-01T00:00:00.000Z',
      changed: true,
    });
    expect(payload).toEqual({ at: new Date(0) });
  });
});

describe('followers of the in-memory bus', () => {
  const events = { perBatch: 3, waiting: 4, minPauseMs: 1, maxPauseMs: 4 };

  it('given a busy follower, when more is published, then what waits comes in batches', async () => {
    const bus = new InMemoryBus({ logger, events });
    const { pass, open, begun } = gate();
    const batches: number[] = [];
    bus.consume(topic, 'told', 'group', async (batch) => {
      batches.push(batch.length);
      if (begun() === 0) await pass();
    });
    const first = bus.publish(tell(0));
    await Promise.resolve().then(() => undefined);
    const rest = [1, 2, 3, 4].map((n) => bus.publish(tell(n)));
    open();
    await Promise.all([first, ...rest]);
    expect(batches).toEqual([1, 3, 1]);
  });

  it('given one group without room, when published, then it is refused and no group gets the event', async () => {
    const bus = new InMemoryBus({ logger, events });
    const { pass, open } = gate();
    const quick: EventEnvelope[] = [];
    bus.consume(topic, 'told', 'slow', pass);
    bus.consume(topic, 'told', 'quick', async (batch) => void quick.push(...batch));
    const taken = [bus.publish(tell(0))];
    await Promise.resolve().then(() => undefined);
    taken.push(...[1, 2, 3, 4].map((n) => bus.publish(tell(n))));
    await expect(bus.publish(tell(5))).rejects.toMatchObject({ code: 'service_unavailable' });
    open();
    await taken[0];
    while (quick.length < 5) await new Promise(setImmediate);
    expect(quick.map((event) => event.payload)).toEqual([0, 1, 2, 3, 4].map((n) => ({ n })));
    for (let left = 2; left > 0; left--) {
      open();
      await new Promise(setImmediate);
    }
    await Promise.all(taken);
  });

  it('given a follower that always fails, when the bus closes, then publishing ends refused', async () => {
    const bus = new InMemoryBus({ logger, events });
    let tries = 0;
    const failedTwice = new Promise<void>((resolve) => {
      bus.consume(topic, 'told', 'group', async () => {
        tries += 1;
        if (tries === 2) resolve();
        throw new Error('never');
      });
    });
    const published = bus.publish(tell(1));
    const refused = expect(published).rejects.toMatchObject({ code: 'service_unavailable' });
    await failedTwice;
    await bus.close();
    await refused;
  });

  it('given a handler that hangs, when the bus closes, then closing waits no longer than its bound', async () => {
    const bus = new InMemoryBus({ logger, closeWaitMs: 10 });
    bus.handle(topic, 'hang', () => new Promise(() => undefined));
    const hanging = bus.request(ask('hang', {}, 50));
    const unknown = expect(hanging).rejects.toMatchObject({ code: 'outcome_unknown' });
    await bus.close();
    await unknown;
  });
});
