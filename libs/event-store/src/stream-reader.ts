import { CoalescingLoader } from '@settle/concurrency';
import type { ReadOptions, StoredEvent } from './event-store.js';
import type { EventStoreLimits } from './limits.js';

const READ_FORWARDS = {
  name: 'event-store-read-forwards',
  text: `select position, stream, revision, type, id, data from events
    where stream = $1 and revision >= $2 order by revision limit $3`,
};

const READ_BACKWARDS = {
  name: 'event-store-read-backwards',
  text: `select position, stream, revision, type, id, data from events
    where stream = $1 and revision <= $2 order by revision desc limit $3`,
};

/** Reads a few events of many streams, each from its revision on, in one query. */
const READ_SHORT_STREAMS = {
  name: 'event-store-read-short-streams',
  text: `select e.position, e.stream, e.revision, e.type, e.id, e.data, asked.number
    from unnest($1::text[], $2::int[]) with ordinality as asked (name, first, number),
    lateral (select * from events where stream = asked.name and revision >= asked.first order by revision limit $3) e
    order by e.position`,
};

/** Reads the newest event of many streams in one query. */
const READ_NEWEST_OF_STREAMS = {
  name: 'event-store-read-newest-of-streams',
  text: `select e.position, e.stream, e.revision, e.type, e.id, e.data from unnest($1::text[]) as asked (name),
    lateral (select * from events where stream = asked.name order by revision desc limit 1) e`,
};

export type EventRow = readonly [
  position: string,
  stream: string,
  revision: number,
  type: string,
  id: string,
  data: string,
  askedNumber?: string,
];

/** Runs a prepared statement. Error: `StoreUnavailable`. */
export type QueryRows = (query: { name: string; text: string }, values: unknown[]) => Promise<EventRow[]>;

type ReaderLimits = Pick<EventStoreLimits, 'streamsPerRead' | 'shortStreamEvents'>;

/** Reads a stream from a revision on. */
interface ShortRead {
  readonly stream: string;
  readonly from: number;
}

const LARGEST_REVISION = 2_147_483_647;

export function toStoredEvent([position, stream, revision, type, id, data]: EventRow): StoredEvent {
  return { id, stream, revision, type, data: JSON.parse(data) as object, position: Number(position) };
}

/**
 * Reads streams from the table of events. Reads of a few events, and of the newest one, that are requested in the same turn
 * or while another one is in progress share a statement: a batch of commands loads its wallets together.
 */
export class StreamReader {
  readonly #shortReads: CoalescingLoader<ShortRead, StoredEvent[]>;
  readonly #newest: CoalescingLoader<string, StoredEvent>;

  constructor(
    private readonly queryRows: QueryRows,
    private readonly limits: ReaderLimits,
  ) {
    const { streamsPerRead } = limits;
    this.#shortReads = new CoalescingLoader(streamsPerRead, (reads) => this.#readShort(reads));
    this.#newest = new CoalescingLoader(streamsPerRead, (streams) => this.#readNewest(streams));
  }

  /** As `EventStore.readStream`. */
  async read(stream: string, { direction, fromRevision, limit }: ReadOptions): Promise<StoredEvent[]> {
    if (direction === 'forwards') {
      const from = fromRevision ?? 0;
      if (limit > this.limits.shortStreamEvents) return this.#query(READ_FORWARDS, [stream, from, limit]);
      return ((await this.#shortReads.load({ stream, from })) ?? []).slice(0, limit);
    }
    if (fromRevision !== undefined || limit !== 1) {
      const earlier = fromRevision === undefined ? null : await this.#readShortBackwards(stream, fromRevision, limit);
      return earlier ?? this.#query(READ_BACKWARDS, [stream, fromRevision ?? LARGEST_REVISION, limit]);
    }
    const newest = await this.#newest.load(stream);
    return newest === null ? [] : [newest];
  }

  async #query(query: { name: string; text: string }, values: unknown[]): Promise<StoredEvent[]> {
    return (await this.queryRows(query, values)).map(toStoredEvent);
  }

  /** Returns null if the range is long, or if the stream ends within it. */
  async #readShortBackwards(stream: string, fromRevision: number, limit: number): Promise<StoredEvent[] | null> {
    if (limit > this.limits.shortStreamEvents) return null;
    const from = Math.max(0, fromRevision - limit + 1);
    const events = (await this.#shortReads.load({ stream, from })) ?? [];
    const wanted = fromRevision - from + 1;
    return events.length < wanted ? null : events.slice(0, wanted).reverse();
  }

  async #readShort(reads: readonly ShortRead[]): Promise<StoredEvent[][]> {
    const [streams, firsts] = [reads.map(({ stream }) => stream), reads.map(({ from }) => from)];
    const rows = await this.queryRows(READ_SHORT_STREAMS, [streams, firsts, this.limits.shortStreamEvents]);
    const found = Map.groupBy(rows, ([, , , , , , askedNumber]) => Number(askedNumber));
    return reads.map((_, index) => (found.get(index + 1) ?? []).map(toStoredEvent));
  }

  async #readNewest(streams: readonly string[]): Promise<(StoredEvent | null)[]> {
    const newest = await this.#query(READ_NEWEST_OF_STREAMS, [[...new Set(streams)]]);
    const byStream = new Map(newest.map((event) => [event.stream, event]));
    return streams.map((stream) => byStream.get(stream) ?? null);
  }
}
