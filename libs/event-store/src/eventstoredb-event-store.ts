import { AllSubscription, type AllSubscriptionSource } from './all-stream-subscription.js';
import { buildStoredEvents } from './append-unit.js';
import { releaseAppendingClient, acquireAppendingClient, type AppendingClient } from './appending-client.js';
import { EventFeed } from './event-feed.js';
import {
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
import { FeedSubscription } from './feed-subscription.js';
import { EVENT_STORE_DB_LIMITS, type EventStoreDbLimits, type EventStoreDbOptions } from './limits.js';
import { LogContinuity } from './log-continuity.js';
import { OpenSubscriptions } from './open-subscriptions.js';
import { ReadingClient } from './reading-client.js';
import { registerAppendMetrics } from './append-metrics.js';
import { UnitAppender } from './unit-appender.js';

/**
 * The event store in EventStoreDB 23.10 or newer. It stores the appends of a unit one by one, and concurrent ones side
 * by side: after `RevisionConflict` and `AppendOutcomeUnknown` a part of the unit may be stored, and the same unit is then
 * a conflict. All stores of a process share one connection for appends.
 */
export class EventStoreDbEventStore implements EventStore {
  readonly #limits: EventStoreDbLimits;
  readonly #reader: ReadingClient;
  readonly #continuity: LogContinuity;
  readonly #appendingClient: AppendingClient;
  readonly #appender: UnitAppender;
  readonly #subscriptions = new OpenSubscriptions<Subscription>();
  readonly #source: AllSubscriptionSource;
  readonly #feed: EventFeed;
  #isClosed = false;

  private constructor({ url, limits, metrics, onLost, sharedPrefixes = [] }: EventStoreDbOptions) {
    this.#continuity = new LogContinuity(onLost);
    this.#limits = { ...EVENT_STORE_DB_LIMITS, ...limits };
    this.#reader = new ReadingClient(url, this.#limits);
    this.#appendingClient = acquireAppendingClient(url, this.#limits);
    this.#appendingClient.connectionChecks.add(this.#checkLog);
    this.#appender = new UnitAppender({
      client: this.#appendingClient,
      readExisting: (append) => this.#reader.readExisting(append),
      // Concurrent appends reach the log in any order: only that with the highest position shows that it has all others.
      onStored: (append, position) => {
        for (const event of buildStoredEvents([append], START).slice(-1))
          this.#continuity.observe({ ...event, position });
      },
      limits: this.#limits,
    });
    const observe = (event: StoredEvent) => this.#continuity.observe(event);
    this.#source = { client: this.#reader, checkLog: this.#checkLog, observe };
    const readNewest = (limit: number) => this.#reader.readNewest(limit);
    this.#feed = new EventFeed({ ...this.#source, readNewest, streamPrefixes: sharedPrefixes }, this.#limits);
    if (metrics !== undefined) registerAppendMetrics(metrics, this.#continuity, this.#appender);
  }

  /** Opens the store. Errors: the URL is invalid, or the server is unavailable or too old. */
  static async open(options: EventStoreDbOptions): Promise<EventStoreDbEventStore> {
    const store = new EventStoreDbEventStore(options);
    try {
      await store.#checkServer();
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  async append(unit: AppendUnit): Promise<AppendResult> {
    this.#throwIfLost();
    return this.#appender.append(unit);
  }

  async readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    this.#throwIfLost();
    const fromFeed = this.#feed.readStream(stream, options);
    if (fromFeed !== null) return fromFeed;
    const events = await this.#reader.readStream(stream, options);
    const newest = options.direction === 'forwards' ? events.at(-1) : events[0];
    if (newest !== undefined) this.#continuity.observe(newest);
    return events;
  }

  async newestPosition(): Promise<number> {
    this.#throwIfLost();
    const [newest] = await this.#reader.readNewest(1);
    return newest?.position ?? START;
  }

  subscribe(options: SubscribeOptions): Subscription {
    if (this.#isClosed) throw new StoreUnavailable('the store is closed');
    const source = this.#source;
    const subscription = this.#feed.includes(options.streamPrefixes)
      ? new FeedSubscription(options, { ...source, feed: this.#feed, units: this.#appender }, this.#limits)
      : new AllSubscription(options, source, this.#limits);
    return this.#subscriptions.add(subscription);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#appender.close();
    this.#appendingClient.connectionChecks.delete(this.#checkLog);
    await releaseAppendingClient();
    await this.#subscriptions.stopAll();
    await this.#reader.close();
  }

  /** Reads any event to check that the server returns its position. */
  async #checkServer(): Promise<void> {
    const [newest] = await this.#reader.readNewest(1);
    if (newest === undefined) return;
    const { stream, revision } = newest;
    await this.readStream(stream, { direction: 'backwards', fromRevision: revision, limit: 1 });
  }

  /** Checks that the log of a new connection still has the newest event that was seen. Error: `LogRegression`. */
  readonly #checkLog = async (): Promise<void> => {
    this.#continuity.throwIfLost();
    const seen = this.#continuity.newest;
    if (seen === null) return;
    const options = { direction: 'forwards', fromRevision: seen.revision, limit: 1 } as const;
    const [current] = await this.#reader.readStream(seen.stream, options);
    this.#continuity.compare(seen, current?.id, `stream ${seen.stream} in EventStoreDB`);
  };

  #throwIfLost(): void {
    try {
      this.#continuity.throwIfLost();
    } catch {
      throw new StoreUnavailable('the event log has lost events');
    }
  }
}
