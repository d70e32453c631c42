import type { Metrics } from '@settle/observability';
import { AllSubscription } from './all-subscription.js';
import { leaveAppendingClient, shareAppendingClient } from './appending-client.js';
import {
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
import { OpenSubscriptions } from './open-subscriptions.js';
import { ReadingClient } from './reading-client.js';
import { showAppends } from './show-appends.js';
import { UnitAppender } from './unit-appender.js';

export interface EventStoreDbEventStoreOptions {
  /** `esdb://…` or `esdb+discover://…`. */
  readonly url: string;
  /** Absent: nothing is measured. */
  readonly metrics?: Metrics | undefined;
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
  readonly #appender: UnitAppender;
  readonly #subscriptions = new OpenSubscriptions<AllSubscription>();
  #closed = false;

  private constructor({ url, limits, metrics }: EventStoreDbEventStoreOptions) {
    this.#limits = { ...EVENT_STORE_DB_LIMITS, ...limits };
    this.#reader = new ReadingClient(url, this.#limits);
    this.#appender = new UnitAppender({
      client: shareAppendingClient(url, this.#limits),
      standing: (append) => this.#reader.standing(append),
      limits: this.#limits,
    });
    if (metrics !== undefined) showAppends(metrics, () => this.#appender);
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

  append(unit: AppendUnit): Promise<AppendResult> {
    return this.#appender.append(unit);
  }

  readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    return this.#reader.readStream(stream, options);
  }

  subscribe(options: SubscribeOptions): Subscription {
    if (this.#closed) throw new StoreUnavailable('it is closed');
    const subscription = new AllSubscription(options, this.#reader, this.#limits);
    return this.#subscriptions.add(subscription);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#appender.close();
    await leaveAppendingClient();
    await this.#subscriptions.stopAll();
    await this.#reader.close();
  }

  /** Reads one event, whichever: it must come with the place where it stands. */
  async #checkServer(): Promise<void> {
    const newest = await this.#reader.newest();
    if (newest === null) return;
    const { stream, revision } = newest;
    await this.readStream(stream, { direction: 'backwards', fromRevision: revision, limit: 1 });
  }
}
