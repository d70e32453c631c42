const PAUSE_MS = 10;
const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * Runs `check` until it no longer throws, and returns what it returned. After `timeoutMs` it throws what `check`
 * threw last. For conditions that nothing announces; where there is a position or a promise, wait for that.
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
