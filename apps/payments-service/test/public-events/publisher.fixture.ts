import { SettleError, TOPICS, paymentEvents, type PublicPaymentEvent } from '@settle/contracts';
import { NO_STREAM, PostgresEventStore, type EventStore, type StoredEvent } from '@settle/event-store';
import { InMemoryBus, type EventEnvelope, type ReadRecord } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { createPool, migrateSchema } from '@settle/postgres';
import { schemaErrorsOf, eventually, freshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { Clock } from '../../src/storage/clock.js';
import { PAYMENTS_SCHEMA } from '../../src/payments-schema.js';
import { readCheckpoint } from '../../src/projection/checkpoints.js';
import { WHOLE_PAYMENT, paymentIdOf, paymentStream } from '../../src/storage/streams.js';
import { Publisher } from '../../src/public-events/publisher.js';
import { PAYMENT_EVENTS } from '../../src/public-events/published-topics.js';
import type { PublishingBus } from '../../src/public-events/publishing-run.js';

const logger = createLogger({ level: 'silent', service: 'spec' });
const LONGEST_WAIT_MS = 30_000;

/** The topic of a system on an in-memory bus, with all that was ever published, and room for faults. */
export class SpecTopic implements PublishingBus {
  readonly events: PublicPaymentEvent[] = [];
  readonly records: ReadRecord[] = [];
  readonly #bus = new InMemoryBus({ logger, copyMessages: true });
  /** Publishes that are refused before one succeeds. */
  refusals = 0;
  /** Called before each publish; one that it keeps waiting is on its way. */
  before: () => Promise<void> | void = () => undefined;
  /** Called before the records are deleted. */
  beforeDeleting: () => Promise<void> | void = () => undefined;

  constructor() {
    this.#bus.consume(paymentEvents.topic, paymentEvents.pattern, 'spec', async (events) => {
      for (const { key, payload, headers = {} } of events) {
        this.events.push(payload as PublicPaymentEvent);
        this.records.push({ key, value: JSON.stringify(payload), headers });
      }
    });
  }

  /** Reports the loss, as the bus does before its process ends. */
  reportLoss: () => Promise<void> = () => Promise.resolve();

  onTopicsLost(listener: () => Promise<void>): void {
    this.reportLoss = listener;
  }

  publish(event: EventEnvelope): Promise<void> {
    return this.publishTogether([event]);
  }

  async publishTogether(events: readonly EventEnvelope[]): Promise<void> {
    await this.before();
    if (this.refusals > 0) {
      this.refusals -= 1;
      throw new SettleError('outcome_unknown', 'The outcome is unknown.');
    }
    for (const event of events) await this.#bus.publish(event);
  }

  /** A topic of the fixture has no offsets. */
  ends() {
    return { read: () => Promise.resolve([]), close: () => Promise.resolve() };
  }

  contents() {
    return {
      isEmpty: () => Promise.resolve(this.records.length === 0),
      newest: () => Promise.resolve(this.records.slice(-1)),
      deleteAll: async (mayDelete: () => boolean) => {
        await this.beforeDeleting();
        const isAllowed = mayDelete();
        if (isAllowed) this.events.length = this.records.length = 0;
        return isAllowed;
      },
    };
  }
}

/** A payments database with streams to publish. */
export class PublishingLab {
  readonly #closers: (() => Promise<unknown>)[] = [];
  readonly #streams = new Set<string>();
  /** The log lines of the publishers. */
  readonly lines: string[] = [];

  private constructor(
    readonly url: string,
    readonly store: EventStore,
    readonly pool: Pool,
  ) {}

  /** @param elsewhere where the events live, unless in the lab's database */
  static async open(elsewhere?: EventStore): Promise<PublishingLab> {
    const database = await freshDatabase();
    await migrateSchema(PAYMENTS_SCHEMA, database.url);
    const store = elsewhere ?? (await PostgresEventStore.open({ url: database.url, isShared: true }));
    const pool = createPool(database.url, { max: 4, name: 'spec' });
    const lab = new PublishingLab(database.url, store, pool);
    lab.#closers.push(
      () => database.drop(),
      () => store.close(),
      () => pool.end(),
    );
    return lab;
  }

  /** An instance's publisher on connections of its own; once cut off, the database answers it nothing any more. */
  async publisher(topic: PublishingBus): Promise<{ publisher: Publisher; cutOff: () => void }> {
    const pool = createPool(this.url, { max: 2, name: 'spec-publisher' });
    let isCutOff = false;
    const reachable = new Proxy(pool, {
      get(target, name) {
        if (name === 'query' && isCutOff) return () => Promise.reject(new Error('The database is out of reach'));
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
    const stream = { write: (line: string) => void this.lines.push(line) };
    const logger = createLogger({ level: 'info', service: 'spec', stream });
    const publisher = new Publisher({ store: this.store, pool: reachable, bus: topic, clock: new Clock(), logger }, [
      PAYMENT_EVENTS,
    ]);
    await publisher.start();
    this.#closers.push(
      () => pool.end(),
      () => publisher.stop(),
    );
    return { publisher, cutOff: () => void (isCutOff = true) };
  }

  /** Stores the events of streams that are new, each stream's in one unit. */
  async append(...streams: readonly (readonly StoredEvent[])[]): Promise<void> {
    for (const [first] of streams) if (first !== undefined) this.#streams.add(first.stream);
    const units = streams.flatMap((events) => events.slice(0, 1).map(({ stream }) => ({ stream, events })));
    await Promise.all(units.map((unit) => this.store.append([{ ...unit, expectedRevision: NO_STREAM }])));
  }

  /** How far the publishing has come. */
  async position(): Promise<number> {
    return readCheckpoint(this.pool, TOPICS.paymentsEvents);
  }

  /** The ids of each payment's events, in the order of its stream, and the position of the newest. */
  async storedIds(): Promise<{ idsByPayment: Record<string, string[]>; newest: number }> {
    const streams = [...this.#streams].filter((stream) => stream.startsWith(paymentStream('')));
    const stored = (await Promise.all(streams.map((stream) => this.store.readStream(stream, WHOLE_PAYMENT)))).flat();
    const ids = groupIds(stored.map(({ id, stream }) => [paymentIdOf(stream), id]));
    return { idsByPayment: ids, newest: Math.max(0, ...stored.map(({ position }) => position)) };
  }

  /** Waits until the topic holds exactly what the streams do, each payment's in order, and the position says so. */
  async expectAllIn({ events }: { readonly events: readonly PublicPaymentEvent[] }): Promise<void> {
    const expected = await this.storedIds();
    const check = async () => {
      expect(await this.position()).toBeGreaterThanOrEqual(expected.newest);
      expect(idsWithoutRepeats(events)).toEqual(expected.idsByPayment);
    };
    await eventually(check, { timeoutMs: LONGEST_WAIT_MS });
    for (const event of events) expect(schemaErrorsOf(event)).toEqual([]);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
  }
}

/** The ids of each payment's events in their order; repeated ones and the order of payments are left out. */
export function idsWithoutRepeats(events: readonly PublicPaymentEvent[]): Record<string, string[]> {
  const seen = new Set<string>();
  const first = events.filter(({ eventId }) => !seen.has(eventId) && seen.add(eventId));
  return groupIds(first.map(({ eventId, paymentId }) => [paymentId, eventId]));
}

function groupIds(pairs: readonly (readonly [paymentId: string, eventId: string])[]): Record<string, string[]> {
  const byPayment: Record<string, string[]> = {};
  for (const [paymentId, eventId] of pairs) (byPayment[paymentId] ??= []).push(eventId);
  return byPayment;
}
