import { LIMITS } from '@settle/config';
import { START } from '@settle/event-store';
import { ThrottledLog, type Logger } from '@settle/observability';
import type { Projector } from './projector.js';

const { lateLineEveryMs, readsWaitWithinMs } = LIMITS.payments;

/**
 * Lets every read after a response show what the response says. Where other instances serve reads, too, a response waits
 * until the read models show it. Where this instance serves them all, it is sent at once, and reads wait.
 */
export class ProjectionWaiter {
  readonly #earlyResponses = new ThrottledLog(lateLineEveryMs);
  /** The newest position of a response that was sent before the read models had reached it. */
  #sentPosition = START;

  /** @param servesAllReads no other instance serves reads */
  constructor(
    private readonly projector: Pick<Projector, 'expectPosition' | 'waitForPosition' | 'progress'>,
    private readonly servesAllReads: boolean,
    private readonly logger: Logger,
  ) {}

  /**
   * Resolves when a response may be sent whose events end at a log position; at the latest after 2 s.
   * @param traceparent of the span that waits
   */
  async beforeResponse(position: number, traceparent?: string): Promise<void> {
    // A projector that falls behind must slow down commands, or reads would wait ever longer.
    if (!this.servesAllReads || this.projector.expectPosition(position) > readsWaitWithinMs) {
      return this.awaitProjection(position, traceparent);
    }
    if (position > this.#sentPosition) this.#sentPosition = position;
  }

  /**
   * Resolves when the read models show what responses said that were sent before; at the latest after 2 s.
   * @param traceparent of the span that waits
   */
  async beforeRead(traceparent?: string): Promise<void> {
    const position = this.#sentPosition;
    if (position > this.projector.progress().position) await this.awaitProjection(position, traceparent);
  }

  /**
   * Resolves with true when the read models have reached a log position and show what responses said that were sent before;
   * with false after 2 s, and at once while they have been behind for longer.
   */
  reached(position: number): Promise<boolean> {
    return this.projector.waitForPosition(Math.max(position, this.#sentPosition));
  }

  /**
   * Resolves when the read models have reached a log position. Resolves after 2 s without that, and at once while the read
   * models have been behind for longer: the money is safe.
   * @param traceparent of the span that waits
   */
  async awaitProjection(position: number, traceparent?: string): Promise<void> {
    if (await this.projector.waitForPosition(position, traceparent)) return;
    this.#earlyResponses.record((answers) => {
      const { behindMs } = this.projector.progress();
      this.logger.warn({ position, behindMs, answers }, 'response sent before the read models showed it');
    });
  }
}
