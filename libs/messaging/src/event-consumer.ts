import { retry, type BackoffLimits } from '@settle/concurrency';
import { SettleError } from '@settle/contracts';
import type { EventEnvelope, EventHandler } from './message-bus.js';

/** The pauses stand between two deliveries of the same events. */
export interface ConsumerLimits extends BackoffLimits {
  /** Most events in one call of the handler. */
  readonly perBatch: number;
  /** Most events that may wait. */
  readonly waiting: number;
}

interface Delivery {
  readonly event: EventEnvelope;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Delivers a topic's events to one group, batch after batch and in order, each until its handler has processed it. */
export class EventConsumer {
  readonly #waiting: Delivery[] = [];
  readonly #closing = new AbortController();
  #draining: Promise<void> | null = null;

  constructor(
    private readonly handler: EventHandler,
    private readonly limits: ConsumerLimits,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  hasRoom(): boolean {
    return this.#waiting.length < this.limits.waiting;
  }

  /** Resolves once the handler has processed the event. Error: `service_unavailable` if closed before. */
  deliver(event: EventEnvelope): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(notProcessed());
    const processed = new Promise<void>((resolve, reject) => this.#waiting.push({ event, resolve, reject }));
    this.#draining ??= this.#drain();
    return processed;
  }

  /** Resolves after the waiting events were delivered to the handler one last time. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // Events that are published in the same turn belong in the same batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#deliverBatch(this.#waiting.splice(0, this.limits.perBatch));
    this.#draining = null;
  }

  async #deliverBatch(batch: readonly Delivery[]): Promise<void> {
    const events = batch.map((delivery) => delivery.event);
    const attempt = () => this.handler(events);
    const { signal } = this.#closing;
    try {
      await retry(attempt, { ...this.limits, signal, onError: this.onFailure }).catch(attempt);
      for (const delivery of batch) delivery.resolve();
    } catch (error) {
      this.onFailure(error);
      for (const delivery of batch) delivery.reject(notProcessed());
    }
  }
}

function notProcessed(): SettleError {
  return new SettleError('service_unavailable', 'The consumer of these events left before it processed this one.');
}
