import { randomId, type PublicPaymentEvent } from '@settle/contracts';
import type { StoredEvent } from '@settle/event-store';
import { schemaErrorsOf, eventually } from '@settle/testing';
import fc from 'fast-check';
import { BOB, aPay, lives, stored } from './payment-lives.fixture.js';
import { startModule, type SpecProcess } from './payments-process.fixture.js';
import { idsWithoutRepeats, type PublishingLab } from './publisher.fixture.js';

/** The payment events of one shape, with a ledger of their own. */
export interface PaymentEventsUnderTest {
  readonly lab: PublishingLab;
  /** Code of a module that sets `bus`, on which the payment events can be consumed. */
  readonly openBus: string;
  /** Whether the checkpoint of a group has reached the end of the log. */
  isConsumed(group: string): Promise<boolean>;
  close(): Promise<void>;
}

interface ConsumerOptions {
  readonly group: string;
  /** The handler rejects this many times before it processes events. */
  readonly rejections?: number;
  /** After this many events the handler does not return. */
  readonly hangsAfter?: number;
}

interface Consumed {
  readonly group: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly event: PublicPaymentEvent;
}

const WAIT = { timeoutMs: 20_000 };

/** Payments that settle, each in a stream of its own. @param agoMs how long ago */
export function settledPays(count: number, agoMs = 0): StoredEvent[][] {
  return Array.from({ length: count }, () => {
    const atUs = (Date.now() - agoMs) * 1_000;
    return stored(randomId(Date.now()), [aPay(atUs), { type: 'PaymentSettled', data: { targetUserId: BOB, atUs } }]);
  });
}

/** Every kind of life, made now: a broker refuses records with a time in the future. */
function sampledStreams(count: number): StoredEvent[][] {
  const atUs = Date.now() * 1_000;
  const streams = fc.sample(lives, count).flat();
  const now = streams.map((events) => events.map((event) => ({ ...event, data: { ...event.data, atUs } })));
  return [...new Map(now.map((events) => [events[0]!.stream, events])).values()];
}

/** A process with one Nest application, whose controllers consume payment events. It can be killed. */
export function startConsumers(openBus: string, consumers: readonly ConsumerOptions[]) {
  const process = startModule(`
    import 'reflect-metadata';
    import { Controller, Module } from '@nestjs/common';
    import { NestFactory } from '@nestjs/core';
    import { paymentEvents } from '@settle/contracts';
    import { BusServer, OnEvents } from '@settle/messaging';
    import { createLogger } from '@settle/observability';
    // Not on standard output: a log line could end up inside a long line of consumed events when the pipe is full.
    const logger = createLogger({ level: 'error', service: 'spec', stream: process.stderr });
    ${openBus}
    const controllers = ${JSON.stringify(consumers)}.map(({ group, rejections = 0, hangsAfter = Infinity }) => {
      let processed = 0;
      class Consumer {
        async onEvents(events) {
          if ((rejections -= 1) >= 0) throw new Error(group + ' rejects');
          if (processed >= hangsAfter) await new Promise(() => console.log('hangs'));
          for (const { payload: event, headers } of events) console.log(JSON.stringify({ group, headers, event }));
          processed += events.length;
        }
      }
      const method = Object.getOwnPropertyDescriptor(Consumer.prototype, 'onEvents');
      OnEvents(paymentEvents, group)(Consumer.prototype, 'onEvents', method);
      Controller()(Consumer);
      return Consumer;
    });
    class Consumers {}
    Module({ controllers })(Consumers);
    const app = await NestFactory.createMicroservice(Consumers, { strategy: new BusServer(bus), logger: false });
    await app.listen();
    console.log('listens');`);
  const eventsOf = (group: string) =>
    process.printed
      .filter((line) => line.startsWith('{"group"'))
      .map((line) => JSON.parse(line) as Consumed)
      .filter((consumed) => consumed.group === group);
  return { process, eventsOf };
}

/** The promises to a service that consumes payment events, in every shape. */
export function describePaymentEvents(shape: string, open: () => Promise<PaymentEventsUnderTest>): void {
  describe(`payment events, ${shape}`, () => {
    let events: PaymentEventsUnderTest;
    const processes: SpecProcess[] = [];
    beforeAll(async () => {
      events = await open();
    });
    afterEach(async () => {
      await Promise.all(processes.splice(0).map((process) => process.kill()));
    });
    afterAll(() => events.close());

    async function start(...consumers: readonly ConsumerOptions[]) {
      const { process, eventsOf } = startConsumers(events.openBus, consumers);
      processes.push(process);
      await process.says('listens');
      const expectAll = async (group: string) => {
        const { idsByPayment } = await events.lab.storedIds();
        const consumed = () => idsWithoutRepeats(eventsOf(group).map(({ event }) => event));
        await eventually(() => expect(consumed()).toEqual(idsByPayment), WAIT);
      };
      return { process, eventsOf, expectAll };
    }

    it('given every kind of life, when a group consumes, then it gets exactly the streams, in order per payment', async () => {
      const streams = sampledStreams(100);
      await events.lab.append(...streams.map((stream) => stream.slice(0, 1)));
      const { expectAll, eventsOf } = await start({ group: 'lives' });
      await expectAll('lives');
      for (const [first, ...ends] of streams) {
        if (ends.length === 0) continue;
        await events.lab.store.append([{ stream: first!.stream, expectedRevision: 0, events: ends }]);
      }
      await expectAll('lives');
      for (const { event, headers } of eventsOf('lives')) {
        expect(schemaErrorsOf(event)).toEqual([]);
        expect(headers).toMatchObject({ 'event-id': event.eventId, type: event.type, epoch: '1' });
      }
    });

    it('given a consumer that is killed during its work, when it starts again, then it resumes from its checkpoint', async () => {
      await events.lab.append(...settledPays(20));
      const before = await start({ group: 'killed' });
      await before.expectAll('killed');
      await eventually(async () => expect(await events.isConsumed('killed')).toBe(true), WAIT);
      const countBefore = before.eventsOf('killed').length;
      await before.process.kill();
      const hanging = await start({ group: 'killed', hangsAfter: 0 });
      const later = settledPays(20);
      await events.lab.append(...later);
      await hanging.process.says('hangs');
      await hanging.process.kill();
      const after = await start({ group: 'killed' });
      await eventually(() => expect(after.eventsOf('killed')).toHaveLength(40), WAIT);
      const ids = (consumed: readonly Consumed[]) => consumed.map(({ event }) => event.eventId).toSorted();
      expect(ids(after.eventsOf('killed'))).toEqual(
        later
          .flat()
          .map(({ id }) => id)
          .toSorted(),
      );
      expect(countBefore).toBeGreaterThan(40);
    });

    it('given a handler that rejects, when events are appended, then it gets the same events again, in order', async () => {
      const { expectAll } = await start({ group: 'rejecting', rejections: 3 });
      await events.lab.append(...settledPays(20));
      await expectAll('rejecting');
    });

    it('given a group that always rejects, when another consumes beside it, then that one gets all events', async () => {
      const { expectAll, eventsOf, process } = await start(
        { group: 'broken', rejections: 1_000_000 },
        { group: 'working' },
      );
      await events.lab.append(...settledPays(20));
      await expectAll('working');
      await process.says('broken rejects');
      expect(eventsOf('broken')).toEqual([]);
    });

    it('given a new group, when it begins, then it gets all events from the first on', async () => {
      const { expectAll } = await start({ group: 'new' });
      await expectAll('new');
    });
  });
}
