import { SettleError, TOPICS } from '@settle/contracts';
import { EACH_INSTANCE, type EventEnvelope, type MessageBus, type RequestEnvelope } from '../src/message-bus.js';

/**
 * A bus to be tested, as two parties see it: they may share an instance or sit in two processes. Handlers and
 * followers are registered first; `ready` resolves once what was registered can be reached.
 */
export interface BusUnderTest {
  readonly caller: MessageBus;
  readonly server: MessageBus;
  ready(): Promise<void>;
  close(): Promise<void>;
}

type StartBus = () => Promise<BusUnderTest>;

const TIMEOUT_MS = 10_000;

const ask = (pattern: string, payload: object, more: Partial<RequestEnvelope> = {}): RequestEnvelope => ({
  topic: TOPICS.paymentsCommands,
  pattern,
  key: 'alice',
  payload,
  requestId: `request-${pattern}`,
  timeoutMs: TIMEOUT_MS,
  ...more,
});

const tell = (payload: object | null, key = 'alice'): EventEnvelope => ({
  topic: TOPICS.usersState,
  pattern: 'contract.told',
  key,
  payload,
});

const errorOf = (promise: Promise<unknown>): Promise<unknown> => promise.then(fail, (error: unknown) => error);

function fail(): never {
  throw new Error('It should have been refused.');
}

/** Collects until `count` are there. */
function collector<Item>(count: number) {
  const items: Item[] = [];
  let complete: (items: readonly Item[]) => void;
  const all = new Promise<readonly Item[]>((resolve) => (complete = resolve));
  const add = (...more: readonly Item[]): void => {
    items.push(...more);
    if (items.length >= count) complete(items);
  };
  return { add, all };
}

/** The contract of every adapter of the messaging port. */
export function describeMessageBus(adapter: string, start: StartBus): void {
  describe(`message bus, ${adapter}`, () => {
    let bus: BusUnderTest;
    beforeEach(async () => {
      bus = await start();
    });
    afterEach(() => bus.close());
    const current = () => bus;
    requestsAreAnswered(current);
    requestsFail(current);
    requestsKeepTheirOrder(current);
    eventsAreFollowed(current);
    busCloses(current);
  });
}

function requestsAreAnswered(bus: () => BusUnderTest): void {
  it('given a handler, when asked, then its answer comes back and it saw payload, key and request id', async () => {
    const seen = collector<RequestEnvelope>(1);
    bus().server.handle(TOPICS.paymentsCommands, 'contract.ask', async (payload, envelope) => {
      seen.add(envelope);
      return { got: payload, list: [1, null, { deep: true }] };
    });
    await bus().ready();
    const payload = { text: 'é€😀', cents: Number.MAX_SAFE_INTEGER, nothing: null, list: [] };
    const reply = await bus().caller.request(ask('contract.ask', payload));
    expect(reply).toEqual({ got: payload, list: [1, null, { deep: true }] });
    const [envelope] = await seen.all;
    expect(envelope).toMatchObject({ key: 'alice', requestId: 'request-contract.ask', pattern: 'contract.ask' });
  });

  it('given two patterns of a topic, when both are asked at once, then each handler gets its own', async () => {
    bus().server.handle(TOPICS.paymentsCommands, 'contract.one', async () => ({ n: 1 }));
    bus().server.handle(TOPICS.paymentsCommands, 'contract.two', async () => ({ n: 2 }));
    await bus().ready();
    const patterns = ['contract.one', 'contract.two', 'contract.one'];
    const replies = await Promise.all(patterns.map((pattern) => bus().caller.request(ask(pattern, {}))));
    expect(replies).toEqual([{ n: 1 }, { n: 2 }, { n: 1 }]);
  });

  it('given a handler, when its key is asked for, then the server owns it', async () => {
    bus().server.handle(TOPICS.paymentsCommands, 'contract.owned', async () => ({}));
    await bus().ready();
    await bus().caller.request(ask('contract.owned', {}));
    expect(bus().server.owns(TOPICS.paymentsCommands, 'alice')).toBe(true);
  });
}

function requestsFail(bus: () => BusUnderTest): void {
  it('given a handler that refuses, when asked, then the refusal arrives whole', async () => {
    bus().server.handle(TOPICS.paymentsCommands, 'contract.refuse', async () => {
      throw new SettleError('account_frozen', 'One of the two is frozen.', { which: 'actor', retryAfterSeconds: 2 });
    });
    await bus().ready();
    const error = await errorOf(bus().caller.request(ask('contract.refuse', {})));
    expect(error).toBeInstanceOf(SettleError);
    expect(error).toMatchObject({
      code: 'account_frozen',
      message: 'One of the two is frozen.',
      details: { which: 'actor', retryAfterSeconds: 2 },
    });
  });

  it('given a handler with a bug, when asked, then the caller learns nothing but that', async () => {
    bus().server.handle(TOPICS.paymentsCommands, 'contract.crash', async () => {
      throw new TypeError('c4n4ry');
    });
    await bus().ready();
    const error = await errorOf(bus().caller.request(ask('contract.crash', {})));
    expect(error).toBeInstanceOf(SettleError);
    expect(error).toMatchObject({ code: 'internal_error', details: {} });
    expect(String(error)).not.toContain('c4n4ry');
  });

  it('given a handler that does not answer in time, when asked, then the outcome is unknown and the bus works on', async () => {
    const releases: (() => void)[] = [];
    bus().server.handle(TOPICS.paymentsCommands, 'contract.slow', async (payload) => {
      if ('slow' in payload) await new Promise<void>((resolve) => releases.push(resolve));
      return { payload };
    });
    await bus().ready();
    await bus().caller.request(ask('contract.slow', {}));
    const slow = ask('contract.slow', { slow: true }, { timeoutMs: 200, key: 'slow' });
    expect(await errorOf(bus().caller.request(slow))).toMatchObject({ code: 'outcome_unknown' });
    for (const release of releases) release();
    await expect(bus().caller.request(ask('contract.slow', { n: 2 }))).resolves.toEqual({ payload: { n: 2 } });
  });
}

function requestsKeepTheirOrder(bus: () => BusUnderTest): void {
  it('given many requests of a few keys, when sent at once, then those of one key begin in order, each once', async () => {
    const began = collector<{ key: string; n: number }>(300);
    bus().server.handle(TOPICS.paymentsCommands, 'contract.order', async (payload, { key }) => {
      const { n } = payload as { n: number };
      began.add({ key, n });
      return { n };
    });
    await bus().ready();
    const numbers = Array.from({ length: 300 }, (_, n) => n);
    const sent = numbers.map((n) => bus().caller.request(ask('contract.order', { n }, { key: `key-${n % 3}` })));
    expect(await Promise.all(sent)).toEqual(numbers.map((n) => ({ n })));
    const all = await began.all;
    for (const remainder of [0, 1, 2]) {
      const own = all.filter(({ key }) => key === `key-${remainder}`).map(({ n }) => n);
      expect(own).toEqual(numbers.filter((n) => n % 3 === remainder));
    }
  });
}

function eventsAreFollowed(bus: () => BusUnderTest): void {
  it('given two groups, when events are published, then each group gets each of them, those of a key in order', async () => {
    const groups = [collector<EventEnvelope>(200), collector<EventEnvelope>(200)] as const;
    for (const [index, group] of groups.entries()) {
      bus().server.consume(TOPICS.usersState, 'contract.told', `contract-group-${index}`, async (events) => {
        group.add(...events);
      });
    }
    await bus().ready();
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    await Promise.all(numbers.flatMap((n) => ['a', 'b'].map((key) => bus().caller.publish(tell({ n }, key)))));
    for (const group of groups) {
      const events = await group.all;
      for (const key of ['a', 'b']) {
        const own = events.filter((event) => event.key === key).map((event) => event.payload);
        expect(own).toEqual(numbers.map((n) => ({ n })));
      }
    }
  });

  it('given events from before, when each instance follows, then it is given those that come, and all of them', async () => {
    await bus().caller.publish(tell({ n: 0 }));
    const told = collector<EventEnvelope>(2);
    bus().server.consume(TOPICS.usersState, 'contract.told', EACH_INSTANCE, async (events) => told.add(...events));
    await bus().ready();
    await bus().caller.publish(tell({ n: 1 }));
    await bus().caller.publish(tell({ n: 2 }));
    expect((await told.all).map((event) => event.payload)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('given an instance that leaves, when events are published, then no publisher waits for it', async () => {
    await bus().server.consume(TOPICS.usersState, 'contract.told', EACH_INSTANCE, async () => undefined)();
    await bus().caller.publish(tell({ n: 1 }));
  });

  it('given a deletion, when published, then its null arrives after what was published before', async () => {
    const told = collector<EventEnvelope>(2);
    bus().server.consume(TOPICS.usersState, 'contract.told', 'deletion', async (events) => told.add(...events));
    await bus().ready();
    await bus().caller.publish(tell({ n: 1 }));
    await bus().caller.publish(tell(null));
    expect((await told.all).map((event) => event.payload)).toEqual([{ n: 1 }, null]);
  });

  it('given a follower that fails at first, when events are published, then it is given them again, in order', async () => {
    const told = collector<EventEnvelope>(3);
    let failures = 2;
    bus().server.consume(TOPICS.usersState, 'contract.told', 'contract-failing', async (events) => {
      failures -= 1;
      if (failures >= 0) throw new Error('not yet');
      told.add(...events);
    });
    await bus().ready();
    await Promise.all([1, 2, 3].map((n) => bus().caller.publish(tell({ n }))));
    expect((await told.all).map((event) => event.payload)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });
}

function busCloses(bus: () => BusUnderTest): void {
  it('given a request in progress, when the server closes, then it is answered first', async () => {
    let release: (() => void) | undefined;
    const began = new Promise<void>((resolve) => {
      bus().server.handle(TOPICS.paymentsCommands, 'contract.last', async () => {
        resolve();
        await new Promise<void>((done) => (release = done));
        return { done: true };
      });
    });
    await bus().ready();
    const last = bus().caller.request(ask('contract.last', {}));
    await began;
    const closed = bus().server.close();
    release?.();
    await expect(last).resolves.toEqual({ done: true });
    await closed;
  });

  it('given a closed bus, when used, then nothing is begun', async () => {
    bus().server.handle(TOPICS.paymentsCommands, 'contract.closed', async () => ({}));
    await bus().ready();
    await bus().caller.close();
    expect(await errorOf(bus().caller.request(ask('contract.closed', {})))).toMatchObject({
      code: 'service_unavailable',
    });
    expect(await errorOf(bus().caller.publish(tell({})))).toMatchObject({ code: 'service_unavailable' });
  });
}
