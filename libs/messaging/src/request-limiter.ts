import type { RequestLimits, RequestEnvelope, RequestHandler } from './message-bus.js';
import { SettleError } from '@settle/contracts';

interface Call {
  readonly envelope: RequestEnvelope;
  readonly handler: RequestHandler;
  readonly expiresAtMs: number;
  readonly timer: NodeJS.Timeout;
  /** The requester has received the timeout error. A timer may fire slightly before `expiresAtMs`. */
  hasExpired: boolean;
  readonly resolve: (reply: object) => void;
  readonly reject: (error: unknown) => void;
}

/** The requests of one topic: they start in the order of arrival, a bounded number at a time. */
export class RequestLimiter {
  readonly #waiting: Call[] = [];
  #inProgress = 0;
  #whenIdle: (() => void)[] = [];

  constructor(private readonly limits: RequestLimits) {}

  /**
   * Resolves with the handler's reply. Errors: the handler's, `service_unavailable` if no slot is free,
   * `outcome_unknown` if the time is up.
   */
  ask(envelope: RequestEnvelope, handler: RequestHandler): Promise<object> {
    if (this.#inProgress >= this.limits.inProgress && this.#waiting.length >= this.limits.waiting) {
      return Promise.reject(
        new SettleError('service_unavailable', 'Too many requests are waiting. Try again shortly.'),
      );
    }
    return new Promise((resolve, reject) => {
      const call: Call = {
        envelope,
        handler,
        expiresAtMs: performance.now() + envelope.timeoutMs,
        timer: setTimeout(() => expire(call), envelope.timeoutMs),
        hasExpired: false,
        resolve,
        reject,
      };
      if (this.#inProgress < this.limits.inProgress) void this.#begin(call);
      else this.#waiting.push(call);
    });
  }

  /** Resolves when nothing is in progress and nothing waits. */
  idle(): Promise<void> {
    if (this.#inProgress === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  /** A call whose requester has given up keeps its slot until its handler ends, because the work is real. */
  async #begin(call: Call): Promise<void> {
    this.#inProgress += 1;
    try {
      call.resolve(await call.handler(call.envelope.payload, call.envelope));
    } catch (error) {
      call.reject(error);
    }
    clearTimeout(call.timer);
    this.#inProgress -= 1;
    this.#beginNext();
  }

  #beginNext(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      // Expired before it started: its timer responds, and the work is not done.
      if (!next.hasExpired && performance.now() < next.expiresAtMs) return void this.#begin(next);
    }
    if (this.#inProgress > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}

function expire(call: Call): void {
  call.hasExpired = true;
  call.reject(new SettleError('outcome_unknown', 'No answer came in time. Read the resource before sending again.'));
}
