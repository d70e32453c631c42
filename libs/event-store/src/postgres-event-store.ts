import { checkServer, createPool, databaseFailures } from '@settle/postgres';
import type pg from 'pg';
import { AppendConnection } from './append-connection.js';
import { describeError } from './append-errors.js';
import { buildStoredEvents } from './append-unit.js';
import { AppendHints } from './append-hints.js';
import { AppendWriter } from './append-writer.js';
import { LogContinuity, verifyLogContinuity } from './log-continuity.js';
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
import { EVENT_STORE_LIMITS, type EventStoreLimits, type EventStoreOptions } from './limits.js';
import { OpenSubscriptions } from './open-subscriptions.js';
import { registerAppendMetrics } from './append-metrics.js';
import { StreamReader, toStoredEvent, type EventRow } from './stream-reader.js';
import { LogSubscription, type EventPage } from './subscription.js';

interface PostgresEventStoreOptions extends EventStoreOptions<EventStoreLimits> {
  /**
   * Whether other processes use this log, too. Then the processes notify each other of appends, so that subscriptions
   * receive events after a few milliseconds instead of at their next poll.
   */
  readonly isShared?: boolean;
}

/** Always returns the last row of the page, which shows the position that the page reaches. */
const READ_PAGE = {
  name: 'event-store-read-page',
  text: `with page as materialized (
      select position, stream, revision, type, id, data from events where position > $1 order by position limit $2
    )
    select position, stream, revision, type, id, data from page
    where stream ^@ any ($3::text[]) or position = (select max(position) from page) order by position`,
};

const READ_NEWEST = { name: 'event-store-read-newest', text: 'select max(position) from events' };

/** The event store in one PostgreSQL table. Several stores, in one process or many, can share a database. */
export class PostgresEventStore implements EventStore {
  readonly #limits: EventStoreLimits;
  readonly #revisions: RevisionCache;
  readonly #continuity: LogContinuity;
  readonly #writer: AppendWriter;
  readonly #pool: pg.Pool;
  readonly #subscriptions = new OpenSubscriptions<LogSubscription>();
  readonly #hints: AppendHints | null;
  readonly #streams: StreamReader;
  #isClosed = false;

  private constructor({ url, isShared = false, limits, metrics, onLost }: PostgresEventStoreOptions) {
    this.#continuity = new LogContinuity(onLost);
    this.#limits = { ...EVENT_STORE_LIMITS, ...limits };
    const { readConnections, hintConnections } = this.#limits;
    this.#revisions = new RevisionCache(this.#limits.knownStreams);
    const connections = readConnections + (isShared ? hintConnections : 0);
    const onConnect = (client: pg.ClientBase) => verifyLogContinuity(client, this.#continuity);
    this.#pool = createPool(url, { max: connections, name: 'settle-event-store', metrics, onConnect });
    this.#hints = isShared ? new AppendHints(this.#pool, this.#limits.hintPauseMs, (upTo) => this.#hint(upTo)) : null;
    this.#streams = new StreamReader((query, values) => this.#queryRows(query, values), this.#limits);
    this.#writer = new AppendWriter({
      connection: new AppendConnection(url, this.#limits, this.#continuity),
      revisions: this.#revisions,
      limits: this.#limits,
      onStored: (first, units) => this.#publishStored(first, units),
    });
    if (metrics !== undefined) {
      registerAppendMetrics(metrics, this.#continuity, this.#writer);
      metrics.register('eventStoreStatements', () => this.#writer.statements);
    }
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

  async readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    const events = await this.#streams.read(stream, options);
    const newest = options.direction === 'forwards' ? events.at(-1) : events[0];
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
    this.#hints?.listen();
    return {
      stop: async () => {
        await stop();
        if (this.#subscriptions.size === 0) await this.#hints?.stopListening();
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

  async #readPage(after: number, limit: number, streamPrefixes: readonly string[]): Promise<EventPage> {
    const rows = await this.#queryRows(READ_PAGE, [after, limit, streamPrefixes]);
    const last = rows.at(-1);
    const followed = rows.filter(([, stream]) => streamPrefixes.some((prefix) => stream.startsWith(prefix)));
    const upTo = last === undefined ? after : Number(last[0]);
    if (last !== undefined)
      this.#continuity.observe({ id: last[4], position: upTo, stream: last[1], revision: last[2] });
    return { events: followed.map(toStoredEvent), upTo };
  }

  async #queryRows(query: { name: string; text: string }, values: unknown[]): Promise<EventRow[]> {
    try {
      this.#continuity.throwIfLost();
      const { rows } = await this.#pool.query<[string, string, number, string, string, string, string?]>({
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

  /** Units that were stored already are not passed; the next read records and delivers them. */
  #publishStored(first: number, units: readonly AppendUnit[]): void {
    const events = buildStoredEvents(units.flat(), first);
    const newest = events.at(-1);
    if (newest !== undefined) this.#continuity.observe(newest);
    const upTo = newest?.position ?? first - 1;
    if (newest === undefined) this.#hint(upTo);
    else for (const subscription of this.#subscriptions) subscription.feed(events);
    this.#hints?.publish(upTo);
  }

  #hint(position: number): void {
    for (const subscription of this.#subscriptions) subscription.hint(position);
  }
}
