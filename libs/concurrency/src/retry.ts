import { Backoff, type BackoffLimits } from './backoff.js';
import { sleep } from './sleep.js';

export interface RetryOptions extends BackoffLimits {
  /** Most attempts; by default any number. */
  readonly attempts?: number;
  /** Time on the clock of `performance.now()` after which no further attempt starts. */
  readonly giveUpAtMs?: number;
  /** Ends the pause and the retries; an attempt in progress is finished. */
  readonly signal?: AbortSignal;
  /** Whether a further attempt can help; by default always. */
  readonly isRetryable?: (error: unknown) => boolean;
  /** Called after every failed attempt, the last one included; the first attempt is 1. */
  readonly onError?: (error: unknown, attempt: number) => void;
}

/**
 * Runs `work` until it succeeds, with a growing pause after each failure. Errors: the one of the last attempt; the
 * signal's reason if it was aborted before the first.
 */
export async function retry<Result>(
  work: (attempt: number) => Promise<Result>,
  options: RetryOptions,
): Promise<Result> {
  const { attempts = Infinity, giveUpAtMs = Infinity, signal, isRetryable, onError } = options;
  const backoff = new Backoff(options);
  signal?.throwIfAborted();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      onError?.(error, attempt);
      const pauseMs = backoff.next();
      const isLast = attempt >= attempts || performance.now() + pauseMs >= giveUpAtMs;
      if (isLast || isRetryable?.(error) === false) throw error;
      await sleep(pauseMs, signal);
      if (signal?.aborted) throw error;
    }
  }
}
