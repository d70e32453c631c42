import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { LIMITS } from '@settle/config';
import { paymentEvents, type PublicPaymentEvent } from '@settle/contracts';
import { EACH_INSTANCE, InMemoryBus, type EventEnvelope } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { eventually } from '@settle/testing';
import { describePaymentEvents, settledPays } from '../../test/public-events/payment-events.contract.fixture.js';
import { PublishingLab } from '../../test/public-events/publisher.fixture.js';
import { readCheckpoint } from '../projection/checkpoints.js';
import { createPaymentEventSource } from './payment-event-consumers.js';
import { raisePublicEventEpoch } from './public-event-epoch.js';

const logger = createLogger({ level: 'silent', service: 'spec' });
const MODULE = fileURLToPath(new URL('../../dist/public-events/payment-event-consumers.js', import.meta.url));

const openBus = (databaseUrl: string) => `
  import { PostgresEventStore } from '@settle/event-store';
  import { InMemoryBus } from '@settle/messaging';
  import { createPool } from '@settle/postgres';
  import { createPaymentEventSource } from ${JSON.stringify(MODULE)};
  const url = ${JSON.stringify(databaseUrl)};
  const store = await PostgresEventStore.open({ url, isShared: false });
  const pool = createPool(url, { max: 2, name: 'spec' });
  const bus = new InMemoryBus({ logger });
  bus.useSource(paymentEvents, createPaymentEventSource({ store, pool, logger }));`;

describePaymentEvents('embedded', async () => {
  const lab = await PublishingLab.open();
  const isConsumed = async (group: string) => {
    const position = await readCheckpoint(lab.pool, `${paymentEvents.topic} 1 ${group}`);
    return position === (await lab.store.newestPosition());
  };
  return { lab, openBus: openBus(lab.url), isConsumed, close: () => lab.close() };
});

describe('payment events in one process', () => {
  const { topic, pattern } = paymentEvents;
  let lab: PublishingLab;
  beforeEach(async () => {
    lab = await PublishingLab.open();
  });
  afterEach(() => lab.close());

  function open() {
    const bus = new InMemoryBus({ logger });
    bus.useSource(paymentEvents, createPaymentEventSource({ store: lab.store, pool: lab.pool, logger }));
    return bus;
  }

  /** A consumer that collects. */
  function collect(bus: InMemoryBus, group: string | typeof EACH_INSTANCE) {
    const collected: EventEnvelope[] = [];
    const leave = bus.consume(topic, pattern, group, async (events) => void collected.push(...events));
    const events = () => collected.map(({ payload }) => payload as PublicPaymentEvent);
    return { collected, events, leave };
  }

  it('given no consumer, when payments are made, then nothing is stored for one', async () => {
    open();
    await lab.append(...settledPays(2));
    expect((await lab.pool.query('select from checkpoints')).rowCount).toBe(0);
  });

  it('given a consumer that has left, when it returns, then it gets what it missed', async () => {
    const bus = open();
    await lab.append(...settledPays(2));
    const first = collect(bus, 'group');
    await eventually(() => expect(first.events()).toHaveLength(4));
    await first.leave();
    await lab.append(...settledPays(2));
    const second = collect(bus, 'group');
    await eventually(() => expect(second.events()).toHaveLength(4));
    expect(first.events()).toHaveLength(4);
    await second.leave();
  });

  // "Of now" is a minute ahead, so that on a busy machine the batch is not behind when it is consumed.
  it.each([
    ['of now', 'rests', -60_000, true],
    ['of an hour ago', 'goes on at once', 3_600_000, false],
  ])('given payments %s, when a batch of them is consumed, then the consumer %s', async (_, _what, agoMs, rests) => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const { events, leave } = collect(open(), 'group');
    await lab.append(...settledPays(2, agoMs));
    await eventually(() => expect(events()).toHaveLength(4));
    // A second batch comes only once the consumer has done with the first; one that leaves before does not rest.
    await lab.append(...settledPays(2, agoMs));
    await eventually(() => expect(events()).toHaveLength(8));
    await leave();
    const delays = timers.mock.calls.map(([, delayMs]) => delayMs);
    timers.mockRestore();
    expect(delays.includes(LIMITS.publishing.pauseMs)).toBe(rests);
  });

  it('given a raised epoch, when the process starts again, then consumers begin with the first event under it', async () => {
    await lab.append(...settledPays(2));
    const before = collect(open(), 'group');
    await eventually(() => expect(before.events()).toHaveLength(4));
    await before.leave();
    await raisePublicEventEpoch(lab.pool);
    const after = collect(open(), 'group');
    await eventually(() => expect(after.events()).toHaveLength(4));
    expect(new Set(after.collected.map(({ headers }) => headers?.['epoch']))).toEqual(new Set(['2']));
    await after.leave();
  });

  it('given a consumer of each instance, when it begins, then it gets only later events and stores nothing', async () => {
    await lab.append(...settledPays(2));
    const { events, leave } = collect(open(), EACH_INSTANCE);
    const later = settledPays(30);
    await eventually(async () => {
      await lab.append(later.pop()!);
      expect(events().length).toBeGreaterThan(0);
    });
    expect(events().length).toBeLessThan(60);
    expect((await lab.pool.query('select from checkpoints')).rowCount).toBe(0);
    await leave();
  });

  it('given a database that is unavailable, when a consumer begins, then it gets its events once it is back', async () => {
    await lab.append(...settledPays(2));
    let failures = 3;
    const query = lab.pool.query.bind(lab.pool) as (...args: unknown[]) => Promise<unknown>;
    const pool = Object.assign(Object.create(lab.pool) as typeof lab.pool, {
      query: (...args: unknown[]) => ((failures -= 1) >= 0 ? Promise.reject(new Error('unavailable')) : query(...args)),
    });
    const bus = new InMemoryBus({ logger });
    bus.useSource(paymentEvents, createPaymentEventSource({ store: lab.store, pool, logger }));
    const { events, leave } = collect(bus, 'group');
    await eventually(() => expect(events()).toHaveLength(4));
    await leave();
  });

  it('given a registered consumer, when its source is registered, then that fails', () => {
    const bus = new InMemoryBus({ logger });
    bus.consume(topic, pattern, 'early', async () => undefined);
    expect(() => bus.useSource(paymentEvents, () => async () => undefined)).toThrow('before its source');
  });
});
