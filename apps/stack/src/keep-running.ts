import { Backoff, sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';

const { restartPauseMinMs: minPauseMs, restartPauseMaxMs: maxPauseMs, soundAfterMs } = LIMITS.stack;

interface Restarts {
  /** Starts the process again; resolves once it runs, with the promise of how it ended. */
  readonly start: () => Promise<{ readonly ended: Promise<string> }>;
  /** Ends the pause and the restarts. */
  readonly signal: AbortSignal;
  /** Called when the process has ended, before the pause. */
  readonly onEnd: (how: string, pauseMs: number) => void;
}

/**
 * Starts a process again whenever it has ended, until the signal aborts. The pause before grows with each end, and is
 * the first one again after the process has run for long enough.
 * @param ended resolves with how the process ended that already runs
 */
export async function keepRunning(ended: Promise<string>, { start, signal, onEnd }: Restarts): Promise<void> {
  const backoff = new Backoff({ minPauseMs, maxPauseMs });
  for (let running = { ended }; ; running = await start()) {
    const startedAtMs = performance.now();
    const how = await running.ended;
    if (signal.aborted) return;
    if (performance.now() - startedAtMs >= soundAfterMs) backoff.reset();
    const pauseMs = backoff.next();
    onEnd(how, pauseMs);
    await sleep(pauseMs, signal);
    if (signal.aborted) return;
  }
}
