import { PeriodicTask } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';

const { userReplicaWaitMs, userReplicaPollMs } = LIMITS.payments;

/** Checks until the user replica has consumed all records that its topic had at the start. */
export class ReplicaCatchUp {
  readonly #checks: PeriodicTask;
  #isDone = false;

  /** @param hasTaken resolves with whether all records that the topic had at the call were consumed within `waitMs` */
  constructor(hasTaken: (waitMs: number) => Promise<boolean>, logger: Logger) {
    this.#checks = new PeriodicTask({
      everyMs: userReplicaPollMs,
      run: async (signal) => {
        this.#isDone = await hasTaken(userReplicaWaitMs);
        if (this.#isDone) return 'done';
        if (!signal.aborted) logger.warn('user replica is incomplete; waiting for the topic');
        return undefined;
      },
      onError: (err) => logger.warn({ err }, 'cannot tell whether the user replica is complete; retrying'),
    });
    this.#checks.start();
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Ends the checks. */
  stop(): void {
    void this.#checks.stop();
  }
}
