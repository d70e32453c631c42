import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { buildStoredEvents, validateUnit, findRevisionWithinUnit } from './append-unit.js';
import {
  NO_STREAM,
  RevisionConflict,
  START,
  StoreUnavailable,
  type AppendResult,
  type AppendUnit,
  type EventStore,
  type ReadOptions,
  type StoredEvent,
  type SubscribeOptions,
  type Subscription,
} from './event-store.js';
import { compareUnit } from './existing-events.js';
import { EVENT_STORE_LIMITS } from './limits.js';
import { OpenSubscriptions } from './open-subscriptions.js';
import { RejectedRevisions } from './rejected-revisions.js';
import { LogSubscription, type EventPage } from './subscription.js';

/** An event store in memory, for specs and demos. The events do not survive the process. */
export class InMemoryEventStore implements EventStore {
  readonly #log: StoredEvent[] = [];
  readonly #streams = new Map<string, StoredEvent[]>();
  readonly #subscriptions = new OpenSubscriptions<LogSubscription>();
  readonly #rejected = new RejectedRevisions();
  #isClosed = false;

  /** @param log the events of an earlier store, from its `log()` */
  constructor(log: readonly StoredEvent[] = []) {
    for (const event of log) this.#addToLog(event);
  }

  /** Returns all events, in order. */
  log(): readonly StoredEvent[] {
    return this.#log.slice();
  }

  async append(unit: AppendUnit): Promise<AppendResult> {
    validateUnit(unit);
    if (this.#isClosed) throw new StoreUnavailable('the store is closed');
    const ticket = this.#rejected.nextTicket();
    // As in other stores, the writer cannot know the outcome in the same turn.
    await yieldToEventLoop();
    this.#rejected.forgetBefore(ticket);
    const comparison = compareUnit(unit, (stream, revision) => this.#streams.get(stream)?.[revision]);
    if (comparison.kind === 'stored') return { position: comparison.position };
    for (const [index, append] of unit.entries()) {
      const newest = findRevisionWithinUnit(unit, index) ?? this.#findNewestRevision(append.stream);
      if (append.expectedRevision === newest && !this.#rejected.isStale(append, ticket)) continue;
      this.#rejected.add(unit);
      throw new RevisionConflict(append.stream, append.expectedRevision);
    }
    return { position: this.#store(unit) };
  }

  async readStream(stream: string, { direction, fromRevision, limit }: ReadOptions): Promise<StoredEvent[]> {
    const events = this.#streams.get(stream) ?? [];
    if (direction === 'forwards') return events.slice(fromRevision ?? 0).slice(0, limit);
    return events
      .slice(0, (fromRevision ?? events.length) + 1)
      .reverse()
      .slice(0, limit);
  }

  async newestPosition(): Promise<number> {
    return this.#log.at(-1)?.position ?? START;
  }

  subscribe(options: SubscribeOptions): Subscription {
    const subscription = new LogSubscription(
      options,
      async (after, limit, streamPrefixes) => this.#readPage(after, limit, streamPrefixes),
      EVENT_STORE_LIMITS,
    );
    return this.#subscriptions.add(subscription);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await yieldToEventLoop();
    await this.#subscriptions.stopAll();
  }

  #findNewestRevision(stream: string): number {
    return (this.#streams.get(stream)?.length ?? 0) + NO_STREAM;
  }

  #store(unit: AppendUnit): number {
    const appended = buildStoredEvents(JSON.parse(JSON.stringify(unit)) as AppendUnit, this.#log.length + 1);
    for (const event of appended) this.#addToLog(event);
    for (const subscription of this.#subscriptions) subscription.feed(appended);
    return this.#log.length;
  }

  #addToLog(event: StoredEvent): void {
    this.#log.push(event);
    const stream = this.#streams.get(event.stream);
    if (stream === undefined) this.#streams.set(event.stream, [event]);
    else stream.push(event);
  }

  #readPage(after: number, limit: number, streamPrefixes: readonly string[]): EventPage {
    const page = this.#log.slice(after, after + limit);
    const events = page.filter(({ stream }) => streamPrefixes.some((prefix) => stream.startsWith(prefix)));
    return { events, upTo: page.at(-1)?.position ?? after };
  }
}
