import { WakeUp, retry } from '@settle/concurrency';
import { ProgressTimer } from './progress-timer.js';
import { START, type StoredEvent, type SubscribeOptions, type Subscription } from './event-store.js';

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** The position that the page reaches, including events that the filter has excluded. */
  readonly upTo: number;
}

/** Reads at most `limit` events after a position, and returns those whose streams start with one of the prefixes. */
export type ReadPage = (after: number, limit: number, streamPrefixes: readonly string[]) => Promise<EventPage>;

export interface SubscriptionLimits {
  /** Most events in memory; beyond them the log is read instead. */
  readonly eventsWaiting: number;
  /** Poll interval of an idle subscription for events of other processes. */
  readonly pollMs: number;
  /** Poll interval while other processes append. */
  readonly busyPollMs: number;
  /** After an event of another process that the filter includes, it counts as appending for this time. */
  readonly busyForMs: number;
  readonly retryPauseMinMs: number;
  readonly retryPauseMaxMs: number;
}

/**
 * A subscription to a log. It takes the events of this process from memory while they continue its position, and reads
 * the log otherwise: at the start, after events of other processes, and after a gap.
 */
export class LogSubscription implements Subscription {
  /** Events of this process in the order of their positions; there may be gaps. */
  #appended: StoredEvent[] = [];
  readonly #running: Promise<void>;
  /** Other processes have announced events up to this position. */
  #hintedUpTo = START;
  /** This process has stored events up to this position. */
  #fedUpTo = START;
  /** Until this time, on the clock of `performance.now()`, other processes count as appending events for this subscription. */
  #othersBusyUntilMs = 0;
  /** All known events were taken from memory: there is nothing to read before the next feed, hint or poll. */
  #isLive = false;
  #position: number;
  readonly #progress: ProgressTimer;
  readonly #stopping = new AbortController();
  readonly #wakeUp = new WakeUp();

  constructor(
    private readonly options: SubscribeOptions,
    private readonly readPage: ReadPage,
    private readonly limits: SubscriptionLimits,
  ) {
    this.#position = Math.max(options.after, START);
    this.#progress = new ProgressTimer(this.#position, options.progressAfterMs);
    this.#running = this.#run();
  }

  /** Adds events that this process has just stored, at consecutive positions. */
  feed(events: readonly StoredEvent[]): void {
    const last = events.at(-1);
    if (last === undefined || this.#stopping.signal.aborted) return;
    this.#fedUpTo = Math.max(this.#fedUpTo, last.position);
    if (this.#appended.length + events.length > this.limits.eventsWaiting) {
      this.#appended = [];
      this.#isLive = false;
    } else {
      this.#appended.push(...events);
    }
    this.#wakeUp.wake();
  }

  /** Announces that events up to `position` are stored; ignored for events of this process. */
  hint(position: number): void {
    if (position <= this.#position || position <= this.#fedUpTo) return;
    this.#hintedUpTo = Math.max(this.#hintedUpTo, position);
    this.#wakeUp.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      while (!signal.aborted) await this.#advance();
    } catch (error) {
      // The stop has ended the retries.
      if (!signal.aborted) throw error;
    }
  }

  /** Delivers the next page, or waits for events. */
  async #advance(): Promise<void> {
    this.#wakeUp.clear();
    const page = await this.#nextPage();
    if (page === null) return this.#waitForEvents();
    if (page.events.length > 0 || this.#progress.dueInMs(page.upTo) === 0) await this.#deliver(page);
    this.#position = page.upTo;
  }

  /** Waits until there may be events, or the handler is due to receive the position. */
  async #waitForEvents(): Promise<void> {
    const { busyPollMs, pollMs } = this.limits;
    const pollInMs = performance.now() < this.#othersBusyUntilMs ? busyPollMs : pollMs;
    const dueInMs = this.#progress.dueInMs(this.#position) ?? Infinity;
    if (dueInMs === 0) return this.#deliver({ events: [], upTo: this.#position });
    return this.#wakeUp.wait(Math.min(pollInMs, dueInMs));
  }

  /** Returns the events after the position; null if there are none yet. */
  async #nextPage(): Promise<EventPage | null> {
    const fromMemory = this.#takeFromMemory();
    const isLive = this.#isLive && this.#appended.length === 0 && this.#hintedUpTo <= this.#position;
    this.#isLive = fromMemory !== null;
    if (fromMemory !== null || isLive) return fromMemory;
    const { batchSize, streamPrefixes } = this.options;
    const page = await this.#retryUntilStopped(() => this.readPage(this.#position, batchSize, streamPrefixes));
    if (page.upTo === this.#position) return null;
    // Events that the filter excludes are no reason to hurry.
    if (page.events.length > 0) this.#othersBusyUntilMs = performance.now() + this.limits.busyForMs;
    return page;
  }

  #takeFromMemory(): EventPage | null {
    const events: StoredEvent[] = [];
    let upTo = this.#position;
    let taken = 0;
    for (const event of this.#appended) {
      if (event.position > upTo + 1 || events.length >= this.options.batchSize) break;
      taken += 1;
      if (event.position <= upTo) continue;
      upTo = event.position;
      if (this.#matches(event.stream)) events.push(event);
    }
    this.#appended.splice(0, taken);
    return upTo === this.#position ? null : { events, upTo };
  }

  #matches(stream: string): boolean {
    for (const prefix of this.options.streamPrefixes) if (stream.startsWith(prefix)) return true;
    return false;
  }

  async #deliver({ events, upTo }: EventPage): Promise<void> {
    await this.#retryUntilStopped(() => this.options.handle(events, upTo));
    this.#progress.delivered(upTo);
  }

  #retryUntilStopped<Result>(work: () => Promise<Result>): Promise<Result> {
    const { retryPauseMinMs: minPauseMs, retryPauseMaxMs: maxPauseMs } = this.limits;
    return retry(work, { minPauseMs, maxPauseMs, signal: this.#stopping.signal, onError: this.options.onError });
  }
}
