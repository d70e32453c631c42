import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AllStreamSubscription } from '@eventstore/db-client';
import { Backoff, WakeUp, retry, sleep, type BackoffLimits } from '@settle/concurrency';
import { ResponseTimeout } from './eventstoredb-errors.js';
import { ProgressTimer } from './progress-timer.js';
import { START, type StoredEvent, type SubscribeOptions, type Subscription } from './event-store.js';
import type { EventStoreDbLimits } from './limits.js';
import { Checkpoint, toStoredEvent, type SubscribedEvent, type ReadingClient } from './reading-client.js';

interface Batch {
  readonly events: StoredEvent[];
  /** All events up to this position have arrived. */
  scannedUpTo: number;
}

export interface AllSubscriptionSource {
  readonly client: Pick<ReadingClient, 'subscribe'>;
  /** Runs before each subscription of the server, whose connection may lead to another log. */
  readonly checkLog: () => Promise<void>;
  /** Called with events that have arrived, the newest of each batch. */
  readonly observe: (event: StoredEvent) => void;
}

/**
 * Subscribes to `$all`. A subscription of the server ends with every connection problem, and when its consumer is slow;
 * then this class starts another one at the position of its handler.
 */
export class AllSubscription implements Subscription {
  readonly #running: Promise<void>;
  #position: number;
  readonly #progress: ProgressTimer;
  readonly #stopping = new AbortController();
  readonly #wakeUp = new WakeUp();

  constructor(
    private readonly options: SubscribeOptions,
    private readonly source: AllSubscriptionSource,
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
    const { signal } = this.#stopping;
    const backoff = new Backoff(this.#pauses);
    while (!signal.aborted) {
      const startPosition = this.#position;
      try {
        await this.source.checkLog();
        await this.#follow();
      } catch (error) {
        if (!signal.aborted) this.options.onError(error);
      }
      if (this.#position > startPosition) backoff.reset();
      await sleep(backoff.next(), signal);
    }
  }

  get #pauses(): BackoffLimits {
    return { minPauseMs: this.limits.retryPauseMinMs, maxPauseMs: this.limits.retryPauseMaxMs };
  }

  /** Runs one subscription of the server until it fails or this one is stopped. */
  async #follow(): Promise<void> {
    let failure: unknown = null;
    const fail = (error: unknown) => {
      failure ??= error;
      this.#wakeUp.wake();
    };
    const { streamPrefixes } = this.options;
    const source = this.source.client.subscribe({ after: this.#position, streamPrefixes });
    const confirmation = setTimeout(() => fail(new ResponseTimeout()), this.limits.confirmMs);
    source.on('confirmation', () => clearTimeout(confirmation));
    source.on('error', fail);
    source.on('close', () => fail(new Error('the server ended the subscription')));
    source.on('readable', () => this.#wakeUp.wake());
    try {
      while (!this.#stopping.signal.aborted && failure === null) {
        const { events, scannedUpTo } = this.#readBatch(source);
        const last = events.at(-1);
        if (last !== undefined) {
          this.source.observe(last);
          await this.#deliver(events, last.position);
        }
        this.#position = Math.max(this.#position, scannedUpTo);
        const dueInMs = this.#progress.dueInMs(this.#position);
        if (dueInMs === 0) await this.#deliver([], this.#position);
        else if (last === undefined) await this.#wakeUp.wait(dueInMs);
        await yieldToEventLoop();
      }
    } finally {
      clearTimeout(confirmation);
      void source.unsubscribe().catch(() => undefined);
      source.destroy();
    }
    if (failure !== null) throw failure;
  }

  /** Reads the messages that have arrived. */
  #readBatch(source: AllStreamSubscription): Batch {
    const batch: Batch = { events: [], scannedUpTo: START };
    while (batch.events.length < this.options.batchSize) {
      const message = source.read() as SubscribedEvent | Checkpoint | null;
      if (message === null) break;
      if (message instanceof Checkpoint) batch.scannedUpTo = message.position;
      else if (message.event !== undefined) batch.events.push(toStoredEvent(message.event));
    }
    return batch;
  }

  /** Delivers a batch. Retries until the handler resolves; rejects if the subscription is stopped before. */
  async #deliver(events: readonly StoredEvent[], upTo: number): Promise<void> {
    const { handle, onError } = this.options;
    await retry(() => handle(events, upTo), { ...this.#pauses, signal: this.#stopping.signal, onError });
    this.#position = upTo;
    this.#progress.delivered(upTo);
  }
}
