import type { AllStreamSubscription } from '@eventstore/db-client';
import { ResponseTimeout } from './eventstoredb-errors.js';
import { START, type StoredEvent, type SubscribeOptions, type Subscription } from './event-store.js';
import type { EventStoreDbLimits } from './limits.js';
import { Checkpoint, toStoredEvent, type SubscribedEvent, type ReadingClient } from './reading-client.js';

/** Lets what the connection has brought at once be taken at once. */
const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Follows the server's `$all`. Its subscriptions end with every trouble of the connection, and when their consumer is
 * slow; each time this one begins another where its handler stands.
 */
export class AllSubscription implements Subscription {
  readonly #running: Promise<void>;
  #position: number;
  /** What the handler was last given, and when; on the clock of `performance.now()`. */
  #lastDelivery: { readonly position: number; readonly atMs: number };
  #isStopped = false;
  #isWoken = false;
  #wake: (() => void) | null = null;

  constructor(
    private readonly options: SubscribeOptions,
    private readonly client: Pick<ReadingClient, 'subscribe'>,
    private readonly limits: EventStoreDbLimits,
    /** Called before each subscription of the server's: its connection may lead to another log. */
    private readonly checkLog: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#position = Math.max(options.after, START);
    this.#lastDelivery = { position: this.#position, atMs: performance.now() };
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wakeUp();
    await this.#running;
  }

  async #run(): Promise<void> {
    let pauseMs = this.limits.retryPauseMinMs;
    while (!this.#isStopped) {
      const startPosition = this.#position;
      try {
        await this.checkLog();
        await this.#follow();
      } catch (error) {
        if (!this.#isStopped) this.options.onError(error);
      }
      if (this.#position > startPosition) pauseMs = this.limits.retryPauseMinMs;
      await this.#pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, this.limits.retryPauseMaxMs);
    }
  }

  /** One subscription of the server's, until it fails or this one is stopped. */
  async #follow(): Promise<void> {
    const scanned = new ScanProgress();
    let failure: unknown = null;
    const fail = (error: unknown) => {
      failure ??= error;
      this.#wakeUp();
    };
    const { streamPrefixes } = this.options;
    const source = this.client.subscribe({ after: this.#position, streamPrefixes });
    const confirmation = setTimeout(() => fail(new ResponseTimeout()), this.limits.confirmMs);
    source.on('confirmation', () => clearTimeout(confirmation));
    source.on('error', fail);
    source.on('close', () => fail(new Error('the server ended the subscription')));
    source.on('readable', () => this.#wakeUp());
    try {
      while (!this.#isStopped && failure === null) {
        const events = this.#readBatch(source, scanned);
        const last = events.at(-1);
        if (last !== undefined) await this.#deliver(events, last.position);
        this.#position = Math.max(this.#position, scanned.position);
        if (this.#isProgressDue()) await this.#deliver([], this.#position);
        if (last === undefined) await this.#waitForWakeUp();
        await yieldToEventLoop();
      }
    } finally {
      clearTimeout(confirmation);
      void source.unsubscribe().catch(() => undefined);
      source.destroy();
    }
    if (failure !== null) throw failure;
  }

  #readBatch(source: AllStreamSubscription, scanned: ScanProgress): StoredEvent[] {
    const events: StoredEvent[] = [];
    while (events.length < this.options.batchSize) {
      const message = source.read() as SubscribedEvent | Checkpoint | null;
      if (message === null) break;
      if (message instanceof Checkpoint) scanned.advance(message.position);
      else if (message.event !== undefined) events.push(toStoredEvent(message.event));
    }
    return events;
  }

  #isProgressDue(): boolean {
    const { tellAfterMs } = this.options;
    const { position, atMs } = this.#lastDelivery;
    return tellAfterMs !== undefined && this.#position > position && performance.now() - atMs >= tellAfterMs;
  }

  /** The same batch until the handler takes it, with growing pauses, or until this is stopped. */
  async #deliver(events: readonly StoredEvent[], upTo: number): Promise<void> {
    for (let pauseMs = this.limits.retryPauseMinMs; !this.#isStopped;) {
      try {
        await this.options.handle(events, upTo);
        this.#position = upTo;
        this.#lastDelivery = { position: upTo, atMs: performance.now() };
        return;
      } catch (error) {
        this.options.onError(error);
      }
      await this.#pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, this.limits.retryPauseMaxMs);
    }
  }

  /** Waits for so long, or until this is stopped. */
  async #pause(ms: number): Promise<void> {
    const untilMs = performance.now() + ms;
    for (let leftMs = ms; leftMs > 0 && !this.#isStopped; leftMs = untilMs - performance.now())
      await this.#waitForWakeUp(leftMs);
  }

  /** Waits until something has happened since the last rest, for at most `ms`. */
  async #waitForWakeUp(ms?: number): Promise<void> {
    if (!this.#isWoken && !this.#isStopped) {
      await new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = null;
    }
    this.#isWoken = false;
  }

  #wakeUp(): void {
    this.#isWoken = true;
    this.#wake?.();
  }
}

/**
 * Up to where nothing is missing. A checkpoint alone does not say so: servers have named the place of an event that was
 * still to come, at the log's end (KurrentDB 25.0.0, its issue 4970) and on going live (before its pull request 4023).
 * Whatever stands before the newest checkpoint has come, so the one before that is a place to begin again at.
 */
class ScanProgress {
  position = START;
  #newest = START;

  advance(checkpoint: number): void {
    if (checkpoint <= this.#newest) return;
    this.position = this.#newest;
    this.#newest = checkpoint;
  }
}
