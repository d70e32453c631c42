const PAUSE_MS = 10;
const DEFAULT_TIMEOUT_MS = 5_000;

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
