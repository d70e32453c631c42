import { LIMITS } from '@settle/config';
import { ThrottledLog, type Logger } from '@settle/observability';
import type { Projector } from './projector.js';

const { lateLineEveryMs } = LIMITS.payments;

/** Waits, before a response is sent, until the read models show what it says. */
export class ProjectionWaiter {
  readonly #earlyResponses = new ThrottledLog(lateLineEveryMs);

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
    this.#earlyResponses.record((answers) => {
      const { behindMs } = this.projector.progress();
      this.logger.warn({ position, behindMs, answers }, 'response sent before the read models showed it');
    });
  }
}
