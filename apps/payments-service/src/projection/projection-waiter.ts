import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { Projector } from './projector.js';

const { lateLineEveryMs } = LIMITS.payments;

/** Waits, before a response is sent, until the read models show what it says. */
export class ProjectionWaiter {
  /** Responses sent early since the last log line about them. */
  #earlyResponses = 0;
  #loggedAtMs = -Infinity;

  constructor(
    private readonly projector: Pick<Projector, 'waitForPosition' | 'progress'>,
    private readonly logger: Logger,
  ) {}

  /**
   * Resolves when the read models have reached a log position, so that a read after the response shows it. Resolves after
   * 2 s without that, and at once while the read models have been behind for longer: the money is safe.
   * @param traceparent of the span that waits
   */
  async awaitProjection(position: number, traceparent?: string): Promise<void> {
    if (await this.projector.waitForPosition(position, traceparent)) return;
    this.#earlyResponses += 1;
    if (performance.now() - this.#loggedAtMs < lateLineEveryMs) return;
    const { behindMs } = this.projector.progress();
    this.logger.warn(
      { position, behindMs, answers: this.#earlyResponses },
      'response sent before the read models showed it',
    );
    this.#loggedAtMs = performance.now();
    this.#earlyResponses = 0;
  }
}
