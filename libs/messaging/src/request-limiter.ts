import { Semaphore, withTimeout } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { RequestEnvelope, RequestHandler, RequestLimits } from './message-bus.js';

export const DEFAULT_REQUEST_LIMITS: RequestLimits = {
  inProgress: LIMITS.messaging.requestsInProgress,
  waiting: LIMITS.messaging.requestsWaiting,
};

/** Runs handlers of requests in the order of arrival, a bounded number at a time. */
export class RequestLimiter {
  readonly #slots: Semaphore;

  constructor({ inProgress, waiting }: RequestLimits) {
    this.#slots = new Semaphore({ slots: inProgress, waiting });
  }

  /**
   * Resolves with the handler's reply. A request that expires while it waits is never handled. Errors: the handler's,
   * `service_unavailable` if no slot is free, `outcome_unknown` if the time is up.
   */
  async run(envelope: RequestEnvelope, handler: RequestHandler): Promise<object> {
    if (this.#slots.isQueueFull) {
      throw new SettleError('service_unavailable', 'Too many requests are waiting. Try again shortly.');
    }
    const deadlineMs = performance.now() + envelope.timeoutMs;
    if (!this.#slots.tryAcquire() && !(await this.#slots.acquire(envelope.timeoutMs))) throw timedOut();
    const handling = handler(envelope.payload, envelope);
    // The slot stays taken until the handler ends, even if the requester has given up, because the work is real.
    const release = () => this.#slots.release();
    handling.then(release, release);
    return withTimeout(handling, deadlineMs - performance.now(), timedOut);
  }

  /** Resolves when nothing is in progress and nothing waits. */
  idle(): Promise<void> {
    return this.#slots.idle();
  }
}

function timedOut(): SettleError {
  return new SettleError('outcome_unknown', 'No answer came in time. Read the resource before sending again.');
}
