import type { AllStreamSubscription } from '@eventstore/db-client';
import { ResponseTimeout } from './eventstoredb-errors.js';
import { START, type StoredEvent, type SubscribeOptions, type Subscription } from './event-store.js';
import type { EventStoreDbLimits } from './limits.js';
import { Checkpoint, toStoredEvent, type SubscribedEvent, type ReadingClient } from './reading-client.js';
import { yieldToEventLoop } from './yield-to-event-loop.js';

/**
 * Subscribes to `$all`. A subscription of the server ends with every connection problem, and when its consumer is slow;
 * then this class starts another one at the position of its handler.
 */
export class AllSubscription implements Subscription {
  readonly #running: Promise<void>;
  #position: number;
  /** Position and time of the last delivery, on the clock of `performance.now()`. */
  #lastDelivery: { readonly position: number; readonly atMs: number };
  #isStopped = false;
  #isWoken = false;
  #wake: (() => void) | null = null;

  constructor(
    private readonly options: SubscribeOptions,
    private readonly client: Pick<ReadingClient, 'subscribe'>,
    private readonly limits: EventStoreDbLimits,
    /** Runs before each subscription of the server, whose connection may lead to another log. */
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

  /** Runs one subscription of the server until it fails or this one is stopped. */
  async #follow(): Promise<void> {
    const progress = new ScanProgress();
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
        const events = this.#readBatch(source, progress);
        const last = events.at(-1);
        if (last !== undefined) await this.#deliver(events, last.position);
        this.#position = Math.max(this.#position, progress.position);
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

  #readBatch(source: AllStreamSubscription, progress: ScanProgress): StoredEvent[] {
    const events: StoredEvent[] = [];
    while (events.length < this.options.batchSize) {
      const message = source.read() as SubscribedEvent | Checkpoint | null;
      if (message === null) break;
      if (message instanceof Checkpoint) progress.advance(message.position);
      else if (message.event !== undefined) events.push(toStoredEvent(message.event));
    }
    return events;
  }

  #isProgressDue(): boolean {
    const { position, atMs } = this.#lastDelivery;
    return this.#position > position && performance.now() - atMs >= (this.options.progressAfterMs ?? Infinity);
  }

  /** Delivers a batch and retries with backoff until the handler resolves or the subscription is stopped. */
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

  /** Waits for the time, or until the subscription is stopped. */
  async #pause(ms: number): Promise<void> {
    const untilMs = performance.now() + ms;
    for (let leftMs = ms; leftMs > 0 && !this.#isStopped; leftMs = untilMs - performance.now())
      await this.#waitForWakeUp(leftMs);
  }

  /** Waits for a wake-up since the last call, for at most `ms`. */
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
 * The position up to which all events have arrived. One checkpoint is not enough: servers have sent the position of an
 * event that had not arrived yet, at the end of the log (KurrentDB 25.0.0, issue 4970) and on going live (before pull
 * request 4023). All events before the newest checkpoint have arrived, so the one before it is a safe position.
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
