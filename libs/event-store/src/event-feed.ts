import { retry } from '@settle/concurrency';
import { AllSubscription, type AllSubscriptionSource } from './all-stream-subscription.js';
import { START, type ReadOptions, type StoredEvent } from './event-store.js';
import type { EventStoreDbLimits } from './limits.js';
import type { ReadingClient } from './reading-client.js';
import type { EventPage } from './subscription.js';

/** A subscription that takes its events from the feed. */
export interface FeedReader {
  /** Called when the feed has moved. */
  readonly wake: () => void;
  /** Called after each failure of the feed's own subscription, which is repeated. */
  readonly onError: (error: unknown) => void;
}

export interface EventFeedOptions extends AllSubscriptionSource {
  readonly readNewest: ReadingClient['readNewest'];
  /** Prefixes of the streams in the feed. */
  readonly streamPrefixes: readonly string[];
}

export interface PageRequest {
  /** Position after which to read, at least that of `covers`. */
  readonly after: number;
  readonly limit: number;
  readonly streamPrefixes: readonly string[];
}

interface Window {
  /** The events of the feed's streams after `from` up to `upTo`, in order. */
  readonly events: StoredEvent[];
  from: number;
  upTo: number;
}

/**
 * Keeps the newest events of some streams in memory, from one subscription of the server, for all subscriptions of this
 * process. It never waits for a reader: one that is slow falls behind the window, and reads the log by itself. Positions
 * alone decide who may read here, so a reader can come and go at any time and neither misses an event nor gets it twice.
 */
export class EventFeed {
  readonly #readers = new Set<FeedReader>();
  #window: Window | null = null;
  #subscription: AllSubscription | null = null;
  #stopping = new AbortController();

  constructor(
    private readonly options: EventFeedOptions,
    private readonly limits: EventStoreDbLimits,
  ) {}

  /** Whether the window has been filled. It is once a reader has joined and the server responds. */
  get isStarted(): boolean {
    return this.#window !== null;
  }

  /** Returns whether all streams with these prefixes are in the feed. */
  includes(streamPrefixes: readonly string[]): boolean {
    return streamPrefixes.every((prefix) => matches(prefix, this.options.streamPrefixes));
  }

  /** Returns whether the window has every event after a position. */
  covers(position: number): boolean {
    return this.#window !== null && position >= this.#window.from;
  }

  /** Returns the next events of a reader; null if the window does not cover its position. */
  read({ after, limit, streamPrefixes }: PageRequest): EventPage | null {
    const window = this.#window;
    if (window === null || after < window.from) return null;
    const events: StoredEvent[] = [];
    const first = window.events.findLastIndex(({ position }) => position <= after) + 1;
    for (const event of window.events.slice(first)) {
      if (!matches(event.stream, streamPrefixes)) continue;
      events.push(event);
      if (events.length === limit) return { events, upTo: event.position };
    }
    return { events, upTo: Math.max(after, window.upTo) };
  }

  /**
   * Returns what a read of a stream returns if the window has all of it; else null. Only reads backwards from a revision
   * can be answered: what is stored before an event never changes, while the newest event may not have arrived yet.
   */
  readStream(stream: string, { direction, fromRevision, limit }: ReadOptions): StoredEvent[] | null {
    if (this.#window === null || direction === 'forwards' || fromRevision === undefined) return null;
    const wanted = Math.min(limit, fromRevision + 1);
    const { events } = this.#window;
    const found: StoredEvent[] = [];
    for (let at = events.length - 1; at >= 0 && found.length < wanted; at -= 1) {
      const event = events[at];
      if (event?.stream === stream && event.revision === fromRevision - found.length) found.push(event);
    }
    return found.length === wanted ? found : null;
  }

  /** Adds a reader. The feed runs while it has any. */
  join(reader: FeedReader): void {
    this.#readers.add(reader);
    if (this.#readers.size > 1) return;
    this.#stopping = new AbortController();
    void this.#start(this.#stopping.signal);
  }

  /** Removes a reader; the last one ends the subscription of the server. */
  async leave(reader: FeedReader): Promise<void> {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#stopping.abort();
    this.#window = null;
    await this.#subscription?.stop();
  }

  /**
   * Starts with the newest events of the log, so that a reader whose position is near its end need not read by itself.
   */
  async #start(signal: AbortSignal): Promise<void> {
    const { checkLog, observe, readNewest, streamPrefixes } = this.options;
    const { retryPauseMinMs: minPauseMs, retryPauseMaxMs: maxPauseMs, feedStartEvents, eventsPerRead } = this.limits;
    const onError = (error: unknown) => {
      for (const reader of this.#readers) if (!signal.aborted) reader.onError(error);
    };
    const open = async () => {
      await checkLog();
      return readNewest(feedStartEvents);
    };
    // It fails only when it is stopped.
    const newest = await retry(open, { minPauseMs, maxPauseMs, signal, onError }).catch(() => null);
    if (newest === null || signal.aborted) return;
    const [last] = newest;
    if (last !== undefined) observe(last);
    const after = last?.position ?? START;
    const events = newest.filter(({ stream }) => matches(stream, streamPrefixes)).reverse();
    const from = newest[feedStartEvents - 1]?.position ?? START;
    this.#window = { events, from, upTo: after };
    const handle = async (arrived: readonly StoredEvent[], upTo: number) => this.#append(arrived, upTo);
    const subscription = { streamPrefixes, after, batchSize: eventsPerRead, progressAfterMs: 0, handle, onError };
    this.#subscription = new AllSubscription(subscription, this.options, this.limits);
    this.#wakeReaders();
  }

  #append(arrived: readonly StoredEvent[], upTo: number): void {
    const window = this.#window;
    if (window === null) return;
    const { feedEvents } = this.limits;
    window.events.push(...arrived);
    window.upTo = upTo;
    if (window.events.length > feedEvents) {
      // Half of them together, because removing one event moves all that follow it.
      const dropped = window.events.splice(0, window.events.length - Math.ceil(feedEvents / 2));
      window.from = dropped.at(-1)?.position ?? window.from;
    }
    this.#wakeReaders();
  }

  #wakeReaders(): void {
    for (const reader of this.#readers) reader.wake();
  }
}

function matches(stream: string, prefixes: readonly string[]): boolean {
  for (const prefix of prefixes) if (stream.startsWith(prefix)) return true;
  return false;
}
