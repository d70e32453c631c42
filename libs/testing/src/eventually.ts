const PAUSE_MS = 10;
/** Half the common time limit of a spec: long enough for a machine that is suspended or eight times slower. */
const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Runs `check` until it no longer throws, and returns its result. After `timeoutMs` it throws the last error of `check`.
 * Use it for conditions without a notification; if there is a position or a promise, wait for that.
 */
export async function eventually<T>(check: () => T | Promise<T>, { timeoutMs = DEFAULT_TIMEOUT_MS } = {}): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
