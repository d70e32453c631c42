import type { Metrics } from '@settle/observability';
import { CoalescingLoader } from '@settle/concurrency';
import { checkServer, createPool, databaseFailures } from '@settle/postgres';
import type pg from 'pg';
import { AppendConnection } from './append-connection.js';
import { describeError } from './append-errors.js';
import { computeRevisionAfter } from './append-unit.js';
import { AppendHints } from './append-hints.js';
import { AppendWriter } from './append-writer.js';
import { LogContinuity, verifyLogContinuity, type LogRegression } from './log-continuity.js';
import { FIND_EVENT_LOG } from './event-log.migration.js';
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
import { RevisionCache } from './revision-cache.js';
import { EVENT_STORE_LIMITS, type EventStoreLimits } from './limits.js';
import { OpenSubscriptions } from './open-subscriptions.js';
import { READ_BACKWARDS, READ_FORWARDS, READ_NEWEST, READ_PAGE, READ_SHORT_STREAMS } from './read-queries.js';
import { RejectedRevisions } from './rejected-revisions.js';
import { registerAppendMetrics } from './append-metrics.js';
import { LogSubscription, type EventPage } from './subscription.js';

export interface PostgresEventStoreOptions {
  readonly url: string;
  /**
   * Whether other processes use this log, too. Then the processes notify each other of appends, so that subscriptions
   * receive events after a few milliseconds instead of at their next poll.
   */
  readonly isShared?: boolean;
  /** Absent: the store has no metrics. */
  readonly metrics?: Metrics | undefined;
  /** Called once, when a new connection shows that the log has lost events that this process has seen. The store then fails. */
  readonly onLost?: ((error: LogRegression) => void) | undefined;
  /** Overrides of `EVENT_STORE_LIMITS`. */
  readonly limits?: Partial<EventStoreLimits>;
}

type EventRow = readonly [position: string, stream: string, revision: number, type: string, id: string, data: string];

const LARGEST_REVISION = 2_147_483_647;

function toStoredEvent([position, stream, revision, type, id, data]: EventRow): StoredEvent {
  return { id, stream, revision, type, data: JSON.parse(data) as object, position: Number(position) };
}

/** The event store in one PostgreSQL table. Several stores, in one process or many, can share a database. */
export class PostgresEventStore implements EventStore {
  readonly #limits: EventStoreLimits;
  readonly #revisions: RevisionCache;
  readonly #rejected: RejectedRevisions;
  readonly #continuity: LogContinuity;
  readonly #writer: AppendWriter;
  readonly #pool: pg.Pool;
  readonly #subscriptions = new OpenSubscriptions<LogSubscription>();
  readonly #hints: AppendHints | null;
  readonly #shortStreams: CoalescingLoader<string, StoredEvent[]>;
  #readUpTo = START;
  #isClosed = false;

  private constructor({ url, isShared = false, limits, metrics, onLost }: PostgresEventStoreOptions) {
    this.#continuity = new LogContinuity(onLost);
    this.#limits = { ...EVENT_STORE_LIMITS, ...limits };
    const { readConnections, hintConnections } = this.#limits;
    this.#revisions = new RevisionCache(this.#limits.knownStreams);
    this.#rejected = new RejectedRevisions();
    const connections = readConnections + (isShared ? hintConnections : 0);
    const onConnect = (client: pg.ClientBase) => verifyLogContinuity(client, this.#continuity);
    this.#pool = createPool(url, { max: connections, name: 'settle-event-store', metrics, onConnect });
    this.#hints = isShared ? new AppendHints(this.#pool, this.#limits.hintPauseMs) : null;
    this.#shortStreams = new CoalescingLoader(this.#limits.streamsPerRead, (streams) =>
      this.#readShortStreams(streams),
    );
    this.#writer = new AppendWriter({
      connection: new AppendConnection(url, this.#limits, this.#continuity),
      revisions: this.#revisions,
      rejected: this.#rejected,
      limits: this.#limits,
      onStored: (first, units) => this.#publishStored(first, units),
    });
    if (metrics !== undefined) this.#registerMetrics(metrics);
  }

  /** Opens the store. Errors: the database has no event log; those of `checkServer`. */
  static async open(options: PostgresEventStoreOptions): Promise<PostgresEventStore> {
    await checkServer(options.url);
    const store = new PostgresEventStore(options);
    try {
      const { rowCount } = await store.#pool.query(FIND_EVENT_LOG);
      if (rowCount === 0)
        throw new Error('This database has no event log: run the migrations of payments-service first');
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  append(unit: AppendUnit): Promise<AppendResult> {
    return this.#writer.append(unit);
  }

  async readStream(stream: string, { direction, fromRevision, limit }: ReadOptions): Promise<StoredEvent[]> {
    const forwards = direction === 'forwards';
    const from = fromRevision ?? (forwards ? 0 : LARGEST_REVISION);
    const isShort = forwards && from === 0 && limit <= this.#limits.shortStreamEvents;
    const events = isShort
      ? ((await this.#shortStreams.load(stream)) ?? []).slice(0, limit)
      : (await this.#queryRows(forwards ? READ_FORWARDS : READ_BACKWARDS, [stream, from, limit])).map(toStoredEvent);
    const newest = forwards ? events.at(-1) : events[0];
    if (newest !== undefined) {
      this.#revisions.update(stream, newest.revision);
      this.#continuity.observe(newest);
    }
    return events;
  }

  subscribe(options: SubscribeOptions): Subscription {
    if (this.#isClosed) throw new StoreUnavailable('the store is closed');
    const subscription = new LogSubscription(
      options,
      (after, limit, streamPrefixes) => this.#readPage(after, limit, streamPrefixes),
      this.#limits,
    );
    const { stop } = this.#subscriptions.add(subscription);
    const unsubscribe = this.#hints?.subscribe((position) => subscription.hint(position));
    return {
      stop: async () => {
        await Promise.all([unsubscribe?.(), stop()]);
      },
    };
  }

  async newestPosition(): Promise<number> {
    const [newest] = await this.#queryRows(READ_NEWEST, []);
    return Number(newest?.[0] ?? START);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writer.close();
    await this.#subscriptions.stopAll();
    await this.#hints?.close();
    await this.#pool.end();
  }

  #registerMetrics(metrics: Metrics): void {
    const { counts } = this.#writer;
    registerAppendMetrics(metrics, () => ({
      counts,
      waiting: this.#writer.waiting,
      newestPosition: Math.max(this.#writer.newestPosition, this.#readUpTo),
    }));
    metrics.register('eventStoreStatements', () => this.#writer.statements);
  }

  async #readPage(after: number, limit: number, streamPrefixes: readonly string[]): Promise<EventPage> {
    const rows = await this.#queryRows(READ_PAGE, [after, limit, streamPrefixes]);
    const last = rows.at(-1);
    const followed = rows.filter(([, stream]) => streamPrefixes.some((prefix) => stream.startsWith(prefix)));
    const upTo = last === undefined ? after : Number(last[0]);
    if (last !== undefined)
      this.#continuity.observe({ id: last[4], position: upTo, stream: last[1], revision: last[2] });
    this.#readUpTo = Math.max(this.#readUpTo, upTo);
    return { events: followed.map(toStoredEvent), upTo };
  }

  async #readShortStreams(streams: readonly string[]): Promise<StoredEvent[][]> {
    const rows = await this.#queryRows(READ_SHORT_STREAMS, [[...new Set(streams)], this.#limits.shortStreamEvents]);
    const found = new Map<string, StoredEvent[]>();
    for (const event of rows.map(toStoredEvent)) {
      const earlier = found.get(event.stream);
      if (earlier === undefined) found.set(event.stream, [event]);
      else earlier.push(event);
    }
    return streams.map((stream) => found.get(stream) ?? []);
  }

  async #queryRows(query: { name: string; text: string }, values: unknown[]): Promise<EventRow[]> {
    try {
      this.#continuity.throwIfLost();
      const { rows } = await this.#pool.query<[string, string, number, string, string, string]>({
        ...query,
        values,
        rowMode: 'array',
      });
      return rows;
    } catch (error) {
      databaseFailures.record(error);
      throw new StoreUnavailable(describeError(error));
    }
  }

  #publishStored(first: number, units: readonly AppendUnit[]): void {
    this.#observeNewest(first, units);
    if (this.#subscriptions.size === 0 && this.#hints === null) return;
    const events: StoredEvent[] = [];
    for (const { stream, expectedRevision, events: newEvents } of units.flat()) {
      let revision = expectedRevision;
      for (const { id, type, data } of newEvents) {
        revision += 1;
        events.push({ id, stream, revision, type, data, position: first + events.length });
      }
    }
    for (const subscription of this.#subscriptions) subscription.feed({ first, events });
    this.#hints?.publish(first + events.length - 1);
  }

  /** Records the newest event of the units. Units that were stored already are not passed; the next read records them. */
  #observeNewest(first: number, units: readonly AppendUnit[]): void {
    const append = units.at(-1)?.at(-1);
    const last = append?.events.at(-1);
    if (append === undefined || last === undefined) return;
    let position = first - 1;
    for (const { events } of units.flat()) position += events.length;
    const { stream } = append;
    this.#continuity.observe({ id: last.id, position, stream, revision: computeRevisionAfter(append) });
  }
}
