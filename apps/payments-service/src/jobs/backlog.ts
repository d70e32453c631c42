import { LIMITS } from '@settle/config';

/** A batch of work that has ended. */
export interface EndedBatch {
  /** Payments that needed no other owner, no provider and no further try. */
  readonly completed: number;
  /** Most payments of a batch. */
  readonly limit: number;
  /** Duration of the batch, in ms, until the read models showed it. */
  readonly tookMs: number;
}

/**
 * Returns the pause before the next batch in ms; undefined for the usual one. After a full batch, all of which is completed,
 * more is likely to wait. The pause is then as long as the batch took: a backlog does not wait for the next tick, and leaves
 * payments at least half of the time, more the slower they make it.
 */
export function pauseAfterBatch({ completed, limit, tookMs }: EndedBatch): number | undefined {
  return completed < limit ? undefined : Math.min(tookMs, LIMITS.payments.workerTickMs);
}
