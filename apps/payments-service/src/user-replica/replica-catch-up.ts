import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';

const { peopleWaitMs, peoplePauseMs } = LIMITS.payments;

export interface ReplicaCatchUpOptions {
  /** Resolves with whether all records that the topic had at the call were consumed within `waitMs`. */
  readonly hasTaken: (waitMs: number) => Promise<boolean>;
  readonly logger: Logger;
}

/** Checks until the user replica has consumed all records that its topic had at the start. */
export class ReplicaCatchUp {
  readonly #stopping = new AbortController();
  #isDone = false;

  constructor(private readonly options: ReplicaCatchUpOptions) {
    void this.#checkUntilDone();
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Ends the checks. */
  stop(): void {
    this.#stopping.abort();
  }

  async #checkUntilDone(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && !this.#isDone) {
      try {
        this.#isDone = await this.options.hasTaken(peopleWaitMs);
        if (this.#isDone || signal.aborted) return;
        this.options.logger.warn('user replica is incomplete; waiting for the topic');
      } catch (err) {
        if (signal.aborted) return;
        this.options.logger.warn({ err }, 'cannot tell whether the user replica is complete; retrying');
      }
      await pause(peoplePauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
