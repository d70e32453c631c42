import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';

const { peopleWaitMs, peoplePauseMs } = LIMITS.payments;

export interface CaughtUpOptions {
  /** Resolves with whether everything that the topic held when it was asked was taken within `waitMs`. */
  readonly hasTaken: (waitMs: number) => Promise<boolean>;
  readonly logger: Logger;
}

/** Whether a copy has reached the end that its topic had when this was made. Asks until it has. */
export class CaughtUp {
  readonly #stopping = new AbortController();
  #isDone = false;

  constructor(private readonly options: CaughtUpOptions) {
    void this.#askUntilDone();
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Asks no more. */
  stop(): void {
    this.#stopping.abort();
  }

  async #askUntilDone(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && !this.#isDone) {
      try {
        this.#isDone = await this.options.hasTaken(peopleWaitMs);
        if (this.#isDone || signal.aborted) return;
        this.options.logger.warn('the copy of the people is not complete yet');
      } catch (err) {
        if (signal.aborted) return;
        this.options.logger.warn({ err }, 'nobody knows yet whether the copy of the people is complete');
      }
      await pause(peoplePauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
