import { sleep } from './sleep.js';

/**
 * Waits for work that cannot be canceled; it continues after the timeout, and its later error is ignored. Errors: those of
 * the work; that of `createError` after `timeoutMs`.
 */
export function withTimeout<Result>(
  work: Promise<Result>,
  timeoutMs: number,
  createError: () => Error,
): Promise<Result> {
  // One promise instead of a race: each request of every service waits here.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(createError()), Math.max(timeoutMs, 0));
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: Error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** Resolves with whether the work ends within `timeoutMs`, with success or an error, which is ignored. Never rejects. */
export function settlesWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  return withTimeout(ended, timeoutMs, () => new Error('timeout')).catch(() => false);
}

export interface PollOptions {
  /** Pause between two checks. */
  readonly everyMs: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Checks until `isDone` returns true. Resolves with false if the last check after `timeoutMs` or at the abort of the
 * signal returned false. Errors: those of `isDone`.
 */
export async function pollUntil(
  isDone: () => Promise<boolean>,
  { everyMs, timeoutMs, signal }: PollOptions,
): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const leftMs = deadlineMs - performance.now();
    const isLast = leftMs <= 0 || signal?.aborted === true;
    if (await isDone()) return true;
    if (isLast) return false;
    await sleep(Math.min(everyMs, leftMs), signal);
  }
}
