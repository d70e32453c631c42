import { WakeUp, retry } from '@settle/concurrency';
import { AllSubscription, type AllSubscriptionSource } from './all-stream-subscription.js';
import type { EventFeed } from './event-feed.js';
import { ProgressTimer } from './progress-timer.js';
import { START, type StoredEvent, type SubscribeOptions, type Subscription } from './event-store.js';
import type { EventStoreDbLimits } from './limits.js';
import type { EventPage } from './subscription.js';
import type { UnitAppender } from './unit-appender.js';

/** The units that this process is storing. */
export type UnitsInFlight = Pick<UnitAppender, 'expectsEventsAfter' | 'settledListeners'>;

export interface FeedSubscriptionSource extends AllSubscriptionSource {
  readonly feed: EventFeed;
  readonly units: UnitsInFlight;
}

/**
 * Takes its events from the feed of the process, at its own speed and with its own failures. While its position is behind
 * the feed, it reads the log by a subscription of its own.
 */
export class FeedSubscription implements Subscription {
  readonly #running: Promise<void>;
  #position: number;
  readonly #progress: ProgressTimer;
  readonly #stopping = new AbortController();
  readonly #wakeUp = new WakeUp();

  constructor(
    private readonly options: SubscribeOptions,
    private readonly source: FeedSubscriptionSource,
    private readonly limits: EventStoreDbLimits,
  ) {
    this.#position = Math.max(options.after, START);
    this.#progress = new ProgressTimer(this.#position, options.progressAfterMs);
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { feed } = this.source;
    const { signal } = this.#stopping;
    const reader = { wake: () => this.#wakeUp.wake(), onError: this.options.onError };
    feed.join(reader);
    try {
      while (!signal.aborted) {
        const page = this.#readFeed();
        if (page !== null) await this.#take(page);
        else if (feed.isStarted) await this.#readAlone();
        else await this.#wakeUp.wait();
      }
    } catch (error) {
      // The stop has ended the retries.
      if (!signal.aborted) throw error;
    } finally {
      await feed.leave(reader);
    }
  }

  /** Delivers the next events of the feed, or waits for some. */
  async #take(first: EventPage): Promise<void> {
    const dueInMs = this.#progress.dueInMs(this.#position);
    if (first.upTo === this.#position && dueInMs !== 0) return this.#wakeUp.wait(dueInMs);
    const page = await this.#gather(first);
    const { retryPauseMinMs: minPauseMs, retryPauseMaxMs: maxPauseMs } = this.limits;
    const { signal } = this.#stopping;
    await retry(() => this.#deliver(page), { minPauseMs, maxPauseMs, signal, onError: this.options.onError });
  }

  /**
   * Returns a page with what follows it soon. The server sends the events of a unit one by one, so it waits a moment for
   * those that units of this process are about to bring: one batch is one transaction of the projections.
   */
  async #gather(first: EventPage): Promise<EventPage> {
    const { settledListeners } = this.source.units;
    const untilMs = performance.now() + this.limits.gatherMs;
    const wake = () => this.#wakeUp.wake();
    let page = first;
    settledListeners.add(wake);
    try {
      while (this.#isWaitingForMore(page)) {
        const leftMs = untilMs - performance.now();
        if (leftMs <= 0) break;
        await this.#wakeUp.wait(leftMs);
        page = this.#readFeed() ?? page;
      }
    } finally {
      settledListeners.delete(wake);
    }
    return page;
  }

  #readFeed(): EventPage | null {
    const { batchSize: limit, streamPrefixes } = this.options;
    return this.source.feed.read({ after: this.#position, limit, streamPrefixes });
  }

  #isWaitingForMore({ events }: EventPage): boolean {
    const last = events.at(-1);
    if (last === undefined || events.length >= this.options.batchSize || this.#stopping.signal.aborted) return false;
    return this.source.units.expectsEventsAfter(last.position);
  }

  /** Reads the log until the feed covers the position. It changes over after a batch, never while one is repeated. */
  async #readAlone(): Promise<void> {
    let isCaughtUp = false;
    const handle = async (events: readonly StoredEvent[], upTo: number) => {
      await this.#deliver({ events, upTo });
      isCaughtUp ||= this.source.feed.covers(upTo);
      if (isCaughtUp) this.#wakeUp.wake();
    };
    const options = { ...this.options, after: this.#position, progressAfterMs: 0, handle };
    const alone = new AllSubscription(options, this.source, this.limits);
    while (!isCaughtUp && !this.#stopping.signal.aborted) await this.#wakeUp.wait();
    await alone.stop();
  }

  /** Delivers a page, or only moves on if it has no events and the handler needs no progress yet. */
  async #deliver({ events, upTo }: EventPage): Promise<void> {
    if (events.length > 0 || this.#progress.dueInMs(upTo) === 0) {
      await this.options.handle(events, upTo);
      this.#progress.delivered(upTo);
    }
    this.#position = upTo;
  }
}
