import { CoalescingLoader, retry, type BackoffLimits } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { EventEnvelope, EventHandler } from './message-bus.js';

/** The pauses stand between two deliveries of the same events. */
export interface ConsumerLimits extends BackoffLimits {
  /** Most events in one call of the handler. */
  readonly perBatch: number;
  /** Most events that may wait. */
  readonly waiting: number;
}

const { eventsPerBatch, eventsWaiting, retryPauseMinMs, retryPauseMaxMs } = LIMITS.messaging;

export const DEFAULT_CONSUMER_LIMITS: ConsumerLimits = {
  perBatch: eventsPerBatch,
  waiting: eventsWaiting,
  minPauseMs: retryPauseMinMs,
  maxPauseMs: retryPauseMaxMs,
};

/** Delivers a topic's events to one group, batch after batch and in order, each until its handler has processed it. */
export class EventConsumer {
  readonly #closing = new AbortController();
  readonly #deliveries: CoalescingLoader<EventEnvelope, true>;

  constructor(
    handler: EventHandler,
    private readonly limits: ConsumerLimits,
    onFailure: (error: unknown) => void,
  ) {
    const { signal } = this.#closing;
    this.#deliveries = new CoalescingLoader<EventEnvelope, true>(limits.perBatch, async (events) => {
      const attempt = () => handler(events);
      try {
        await retry(attempt, { ...limits, signal, onError: onFailure }).catch(attempt);
        return [];
      } catch (error) {
        onFailure(error);
        throw notProcessed();
      }
    });
  }

  hasRoom(): boolean {
    return this.#deliveries.waiting < this.limits.waiting;
  }

  /** Resolves once the handler has processed the event. Error: `service_unavailable` if closed before. */
  async deliver(event: EventEnvelope): Promise<void> {
    if (this.#closing.signal.aborted) throw notProcessed();
    await this.#deliveries.load(event);
  }

  /** Resolves after the waiting events were delivered to the handler one last time. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#deliveries.idle();
  }
}

function notProcessed(): SettleError {
  return new SettleError('service_unavailable', 'The consumer of these events left before it processed this one.');
}
