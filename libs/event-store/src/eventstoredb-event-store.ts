import type { Metrics } from '@settle/observability';
import { AllSubscription } from './all-stream-subscription.js';
import { computeRevisionAfter } from './append-unit.js';
import { releaseAppendingClient, acquireAppendingClient, type AppendingClient } from './appending-client.js';
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
import { EVENT_STORE_DB_LIMITS, type EventStoreDbLimits } from './limits.js';
import { LogContinuity, type LogWentBack } from './log-continuity.js';
import { OpenSubscriptions } from './open-subscriptions.js';
import { ReadingClient } from './reading-client.js';
import { registerAppendMetrics } from './append-metrics.js';
import { UnitAppender } from './unit-appender.js';

export interface EventStoreDbEventStoreOptions {
  /** `esdb://…` or `esdb+discover://…`. */
  readonly url: string;
  /** Absent: nothing is measured. */
  readonly metrics?: Metrics | undefined;
  /** Called once, when a new connection shows that the log has lost what this process has seen: nothing works any more. */
  readonly onLost?: ((error: LogWentBack) => void) | undefined;
  /** Bounds that differ from `EVENT_STORE_DB_LIMITS`. */
  readonly limits?: Partial<EventStoreDbLimits>;
}

/**
 * The event log in EventStoreDB 23.10 or newer. It stores a unit append by append: after `RevisionConflict` and
 * `AppendOutcomeUnknown` a prefix of the unit may be there, and the unit as it was is a conflict from then on. Stores of one process share one appending connection.
 */
export class EventStoreDbEventStore implements EventStore {
  readonly #limits: EventStoreDbLimits;
  readonly #reader: ReadingClient;
  readonly #continuity: LogContinuity;
  readonly #appendingClient: AppendingClient;
  readonly #appender: UnitAppender;
  readonly #subscriptions = new OpenSubscriptions<AllSubscription>();
  #isClosed = false;

  private constructor({ url, limits, metrics, onLost }: EventStoreDbEventStoreOptions) {
    this.#continuity = new LogContinuity(onLost);
    this.#limits = { ...EVENT_STORE_DB_LIMITS, ...limits };
    this.#reader = new ReadingClient(url, this.#limits);
    this.#appendingClient = acquireAppendingClient(url, this.#limits);
    this.#appendingClient.connectionChecks.add(this.#verifyContinuity);
    this.#appender = new UnitAppender({
      client: this.#appendingClient,
      readExisting: (append) => this.#reader.readExisting(append),
      limits: this.#limits,
    });
    if (metrics !== undefined) registerAppendMetrics(metrics, () => this.#appender);
  }

  /** Errors: the address cannot be used, the server cannot be reached or is too old. */
  static async open(options: EventStoreDbEventStoreOptions): Promise<EventStoreDbEventStore> {
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
    const { position } = await this.#appender.append(unit);
    const append = unit.at(-1);
    const last = append?.events.at(-1);
    if (append !== undefined && last !== undefined) {
      this.#continuity.observe({
        id: last.id,
        position,
        stream: append.stream,
        revision: computeRevisionAfter(append),
      });
    }
    return { position };
  }

  async readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    this.#throwIfLost();
    const events = await this.#reader.readStream(stream, options);
    const newest = options.direction === 'forwards' ? events.at(-1) : events[0];
    if (newest !== undefined) this.#continuity.observe(newest);
    return events;
  }

  async newestPosition(): Promise<number> {
    this.#throwIfLost();
    return (await this.#reader.readNewest())?.position ?? START;
  }

  subscribe(options: SubscribeOptions): Subscription {
    if (this.#isClosed) throw new StoreUnavailable('it is closed');
    const handle = async (events: readonly StoredEvent[], upTo: number) => {
      const last = events.at(-1);
      if (last !== undefined) this.#continuity.observe(last);
      await options.handle(events, upTo);
    };
    const subscription = new AllSubscription(
      { ...options, handle },
      this.#reader,
      this.#limits,
      this.#verifyContinuity,
    );
    return this.#subscriptions.add(subscription);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#appender.close();
    this.#appendingClient.connectionChecks.delete(this.#verifyContinuity);
    await releaseAppendingClient();
    await this.#subscriptions.stopAll();
    await this.#reader.close();
  }

  /** Reads one event, whichever: it must come with the place where it stands. */
  async #checkServer(): Promise<void> {
    const newest = await this.#reader.readNewest();
    if (newest === null) return;
    const { stream, revision } = newest;
    await this.readStream(stream, { direction: 'backwards', fromRevision: revision, limit: 1 });
  }

  /** A new connection may lead to a server that was restored to an older copy. Errors: `LogWentBack`. */
  readonly #verifyContinuity = async (): Promise<void> => {
    this.#continuity.throwIfLost();
    const seen = this.#continuity.newest;
    if (seen === null) return;
    const place = { direction: 'forwards', fromRevision: seen.revision, limit: 1 } as const;
    const [standing] = await this.#reader.readStream(seen.stream, place);
    this.#continuity.compare(seen, standing?.id, `of the stream ${seen.stream}, in EventStoreDB`);
  };

  #throwIfLost(): void {
    try {
      this.#continuity.throwIfLost();
    } catch {
      throw new StoreUnavailable('the event log went back');
    }
  }
}
