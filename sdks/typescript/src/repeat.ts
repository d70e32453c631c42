import type { Deadline } from './deadline.js';
import { ConnectionError, SettleError } from './errors.js';

export interface RetryLimits {
  /** Longest time for a call with all of its attempts. */
  readonly timeoutMs: number;
  readonly maxAttempts: number;
}

const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;

/**
 * Runs `work` until it succeeds, with a growing pause after each failure that a later attempt can overcome. A pause is
 * never shorter than `Retry-After` says. Errors: the one of the last attempt.
 */
export async function repeat<Result>(
  work: () => Promise<Result>,
  maxAttempts: number,
  deadline: Deadline,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const pauseMs = pauseAfter(attempt, error);
      if (!isTemporary(error) || attempt >= maxAttempts || pauseMs >= deadline.leftMs()) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** Whether the same request may succeed later. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof SettleError)) return error instanceof ConnectionError;
  const isInProgress = error.status === 409 && error.retryAfterMs !== null;
  return error.status === 503 || error.status === 504 || isInProgress;
}

/** Returns the pause after a failed attempt. Half of it is random, so that clients do not repeat together. */
function pauseAfter(attempt: number, error: unknown): number {
  const retryAfterMs = error instanceof SettleError ? (error.retryAfterMs ?? 0) : 0;
  const longestMs = Math.min(MIN_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
  return retryAfterMs + longestMs * (0.5 + Math.random() / 2);
}
