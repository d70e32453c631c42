import { SettleError, TOPICS } from '@settle/contracts';
import type { RequestEnvelope } from '../src/message-bus.js';
import { ask, collector, errorOf, tell, type BusUnderTest } from './bus-under-test.fixture.js';
import { eventsAreFollowed } from './events.contract.fixture.js';

type StartBus = () => Promise<BusUnderTest>;

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
