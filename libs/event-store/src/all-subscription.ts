import type { AllStreamSubscription } from '@eventstore/db-client';
import { NoAnswer } from './eventstoredb-errors.js';
import { START, type StoredEvent, type SubscribeOptions, type Subscription } from './event-store.js';
import type { EventStoreDbLimits } from './limits.js';
import { Checkpoint, storedEventOf, type FollowedEvent, type ReadingClient } from './reading-client.js';

/** Lets what the connection has brought at once be taken at once. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Follows the server's `$all`. Its subscriptions end with every trouble of the connection, and when their consumer is
 * slow; each time this one begins another where its handler stands.
 */
export class AllSubscription implements Subscription {
  readonly #running: Promise<void>;
  #position: number;
  /** What the handler was last given, and when; on the clock of `performance.now()`. */
  #told: { readonly position: number; readonly atMs: number };
  #stopped = false;
  #woken = false;
  #wake: (() => void) | null = null;

  constructor(
    private readonly options: SubscribeOptions,
    private readonly client: Pick<ReadingClient, 'follow'>,
    private readonly limits: EventStoreDbLimits,
    /** Called before each subscription of the server's: its connection may lead to another log. */
    private readonly check: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#position = Math.max(options.after, START);
    this.#told = { position: this.#position, atMs: performance.now() };
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#rouse();
    await this.#running;
  }

  async #run(): Promise<void> {
    let pauseMs = this.limits.retryPauseMinMs;
    while (!this.#stopped) {
      const began = this.#position;
      try {
        await this.check();
        await this.#follow();
      } catch (error) {
        if (!this.#stopped) this.options.onError(error);
      }
      if (this.#position > began) pauseMs = this.limits.retryPauseMinMs;
      await this.#pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, this.limits.retryPauseMaxMs);
    }
  }

  /** One subscription of the server's, until it fails or this one is stopped. */
  async #follow(): Promise<void> {
    const scanned = new Scanned();
    let failure: unknown = null;
    const fail = (error: unknown) => {
      failure ??= error;
      this.#rouse();
    };
    const { streamPrefixes } = this.options;
    const source = this.client.follow({ after: this.#position, streamPrefixes });
    const confirmation = setTimeout(() => fail(new NoAnswer()), this.limits.confirmMs);
    source.on('confirmation', () => clearTimeout(confirmation));
    source.on('error', fail);
    source.on('close', () => fail(new Error('the server ended the subscription')));
    source.on('readable', () => this.#rouse());
    try {
      while (!this.#stopped && failure === null) {
        const events = this.#take(source, scanned);
        const last = events.at(-1);
        if (last !== undefined) await this.#deliver(events, last.position);
        this.#position = Math.max(this.#position, scanned.position);
        if (this.#isToTell()) await this.#deliver([], this.#position);
        if (last === undefined) await this.#rest();
        await nextTurn();
      }
    } finally {
      clearTimeout(confirmation);
      void source.unsubscribe().catch(() => undefined);
      source.destroy();
    }
    if (failure !== null) throw failure;
  }

  #take(source: AllStreamSubscription, scanned: Scanned): StoredEvent[] {
    const events: StoredEvent[] = [];
    while (events.length < this.options.batchSize) {
      const message = source.read() as FollowedEvent | Checkpoint | null;
      if (message === null) break;
      if (message instanceof Checkpoint) scanned.reached(message.position);
      else if (message.event !== undefined) events.push(storedEventOf(message.event));
    }
    return events;
  }

  #isToTell(): boolean {
    const { tellAfterMs } = this.options;
    const { position, atMs } = this.#told;
    return tellAfterMs !== undefined && this.#position > position && performance.now() - atMs >= tellAfterMs;
  }

  /** The same batch until the handler takes it, with growing pauses, or until this is stopped. */
  async #deliver(events: readonly StoredEvent[], upTo: number): Promise<void> {
    for (let pauseMs = this.limits.retryPauseMinMs; !this.#stopped;) {
      try {
        await this.options.handle(events, upTo);
        this.#position = upTo;
        this.#told = { position: upTo, atMs: performance.now() };
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
    for (let leftMs = ms; leftMs > 0 && !this.#stopped; leftMs = untilMs - performance.now()) await this.#rest(leftMs);
  }

  /** Waits until something has happened since the last rest, for at most `ms`. */
  async #rest(ms?: number): Promise<void> {
    if (!this.#woken && !this.#stopped) {
      await new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = null;
    }
    this.#woken = false;
  }

  #rouse(): void {
    this.#woken = true;
    this.#wake?.();
  }
}

/**
 * Up to where nothing is missing. A checkpoint alone does not say so: servers have named the place of an event that was
 * still to come, at the log's end (KurrentDB 25.0.0, its issue 4970) and on going live (before its pull request 4023).
 * Whatever stands before the newest checkpoint has come, so the one before that is a place to begin again at.
 */
class Scanned {
  position = START;
  #newest = START;

  reached(checkpoint: number): void {
    if (checkpoint <= this.#newest) return;
    this.position = this.#newest;
    this.#newest = checkpoint;
  }
}
