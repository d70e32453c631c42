import { START, type StoredEvent, type SubscribeOptions, type Subscription } from './event-store.js';

/** Events that stand next to each other in the log: the first has position `first`, the next `first + 1`. */
export interface AppendedEvents {
  readonly first: number;
  readonly events: readonly StoredEvent[];
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** The position that the page reaches, events that the filter left out included. */
  readonly upTo: number;
}

/** Reads at most `limit` positions after one; of them the events whose streams begin with one of the prefixes. */
export type ReadPage = (after: number, limit: number, streamPrefixes: readonly string[]) => Promise<EventPage>;

export interface SubscriptionLimits {
  /** Events that may wait in memory; beyond them the log is read instead. */
  readonly eventsWaiting: number;
  /** How often an idle subscription looks for events of other processes. */
  readonly pollMs: number;
  /** How often it looks while others append. */
  readonly busyPollMs: number;
  /** Others count as appending for so long after they were last known to. */
  readonly busyForMs: number;
  readonly retryPauseMinMs: number;
  readonly retryPauseMaxMs: number;
}

/**
 * Follows a log: takes what this process appended straight from memory while it continues where the subscription
 * stands, and reads the log otherwise (at the start, after another process's events, after a gap).
 */
export class LogSubscription implements Subscription {
  readonly #appended: AppendedEvents[] = [];
  readonly #running: Promise<void>;
  #eventsWaiting = 0;
  /** Others have said that they stored events up to here. */
  #hintedUpTo = START;
  /** This process has stored events up to here. */
  #fedUpTo = START;
  /** Of `performance.now()`: until then others are taken to append, and to say so only now and then. */
  #othersBusyUntilMs = 0;
  /** All that is known to be stored has been taken from memory: there is nothing to read until something happens. */
  #isLive = false;
  #position: number;
  /** When the handler was last given something; on the clock of `performance.now()`. */
  #lastDeliveryAtMs = performance.now();
  #isStopped = false;
  #isWoken = false;
  #wake: (() => void) | null = null;

  constructor(
    private readonly options: SubscribeOptions,
    private readonly readPage: ReadPage,
    private readonly limits: SubscriptionLimits,
  ) {
    this.#position = Math.max(options.after, START);
    this.#running = this.#run();
  }

  /** Tells of events that have just been stored. */
  feed(appended: AppendedEvents): void {
    if (this.#isStopped) return;
    this.#fedUpTo = Math.max(this.#fedUpTo, appended.first + appended.events.length - 1);
    if (this.#eventsWaiting + appended.events.length > this.limits.eventsWaiting) {
      this.#appended.length = 0;
      this.#eventsWaiting = 0;
      this.#isLive = false;
    } else {
      this.#appended.push(appended);
      this.#eventsWaiting += appended.events.length;
    }
    this.#wakeUp();
  }

  /** Tells of events up to `position` that some process has stored; of its own this one knows. */
  hint(position: number): void {
    if (position <= this.#position || position <= this.#fedUpTo) return;
    this.#hintedUpTo = Math.max(this.#hintedUpTo, position);
    this.#markOthersBusy();
    this.#wakeUp();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wakeUp();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isWoken = false;
      const page = await this.#nextPage();
      if (page === null) {
        const { busyPollMs, pollMs } = this.limits;
        await this.#waitForWakeUp(performance.now() < this.#othersBusyUntilMs ? busyPollMs : pollMs);
        continue;
      }
      const handled = !this.#isDeliveryDue(page) || (await this.#retryUntilStopped(() => this.#deliver(page)));
      if (handled) this.#position = page.upTo;
    }
  }

  /** What comes after the position; null when there is nothing yet. */
  async #nextPage(): Promise<EventPage | null> {
    const fromMemory = this.#takeFromMemory();
    const isLive = this.#isLive && this.#appended.length === 0 && this.#hintedUpTo <= this.#position;
    this.#isLive = fromMemory !== null;
    if (fromMemory !== null || isLive) return fromMemory;
    const page = await this.#read();
    if (page.upTo === this.#position) return null;
    this.#markOthersBusy();
    return page;
  }

  #markOthersBusy(): void {
    this.#othersBusyUntilMs = performance.now() + this.limits.busyForMs;
  }

  #takeFromMemory(): EventPage | null {
    this.#dropDelivered();
    const events: StoredEvent[] = [];
    let upTo = this.#position;
    for (const appended of this.#appended) {
      if (appended.first > upTo + 1) break;
      const room = this.options.batchSize - events.length;
      const fresh = appended.events.slice(upTo + 1 - appended.first).slice(0, room);
      for (const event of fresh) if (this.#matches(event.stream)) events.push(event);
      upTo += fresh.length;
      if (events.length >= this.options.batchSize) break;
    }
    return upTo === this.#position ? null : { events, upTo };
  }

  #dropDelivered(): void {
    let passed = 0;
    for (const { first, events } of this.#appended) {
      if (first + events.length - 1 > this.#position) break;
      this.#eventsWaiting -= events.length;
      passed += 1;
    }
    if (passed > 0) this.#appended.splice(0, passed);
  }

  #matches(stream: string): boolean {
    for (const prefix of this.options.streamPrefixes) if (stream.startsWith(prefix)) return true;
    return false;
  }

  async #read(): Promise<EventPage> {
    let page: EventPage = { events: [], upTo: this.#position };
    await this.#retryUntilStopped(async () => {
      page = await this.readPage(this.#position, this.options.batchSize, this.options.streamPrefixes);
    });
    return page;
  }

  #isDeliveryDue({ events }: EventPage): boolean {
    const { tellAfterMs } = this.options;
    if (events.length > 0) return true;
    return tellAfterMs !== undefined && performance.now() - this.#lastDeliveryAtMs >= tellAfterMs;
  }

  async #deliver(page: EventPage): Promise<void> {
    await this.options.handle(page.events, page.upTo);
    this.#lastDeliveryAtMs = performance.now();
  }

  /** Tries until it succeeds, with growing pauses; false when the subscription was stopped before. */
  async #retryUntilStopped(act: () => Promise<void>): Promise<boolean> {
    let pauseMs = this.limits.retryPauseMinMs;
    while (!this.#isStopped) {
      try {
        await act();
        return true;
      } catch (error) {
        this.options.onError(error);
      }
      const until = performance.now() + pauseMs;
      for (let leftMs = pauseMs; leftMs > 0 && !this.#isStopped; leftMs = until - performance.now()) {
        this.#isWoken = false;
        await this.#waitForWakeUp(leftMs);
      }
      pauseMs = Math.min(pauseMs * 2, this.limits.retryPauseMaxMs);
    }
    return false;
  }

  /** Waits for `ms`, or until something is fed or the subscription is stopped. */
  async #waitForWakeUp(ms: number): Promise<void> {
    if (this.#isWoken || this.#isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  #wakeUp(): void {
    this.#isWoken = true;
    this.#wake?.();
  }
}
