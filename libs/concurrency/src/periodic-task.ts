import { Backoff } from './backoff.js';
import { WakeUp } from './wake-up.js';

/**
 * The next action after a run: by default the pause; `repeat` runs again without it, a number of ms after another pause, and
 * `done` ends the task.
 */
export type RunOutcome = 'repeat' | 'done' | number | undefined;

export interface PeriodicTaskOptions {
  /** Does the work once. The signal aborts when the task is stopped. */
  readonly run: (signal: AbortSignal) => Promise<RunOutcome | void>;
  /** Pause between the end of a run and the start of the next. */
  readonly everyMs: number;
  /** Pause after a first failure, by default `everyMs`; it doubles with each further one, up to `retryMaxMs`. */
  readonly retryMinMs?: number;
  readonly retryMaxMs?: number;
  /** Receives the error of each failed run, and the pause before the next one. Not called after the stop. */
  readonly onError: (error: unknown, pauseMs: number) => void;
  /** Whether the first run follows a pause. */
  readonly isDelayed?: boolean;
}

/** Background work that is repeated until it is stopped. Runs never overlap, and a failure does not end them. */
export class PeriodicTask {
  readonly #stopping = new AbortController();
  readonly #wakeUp = new WakeUp(false);
  #running: Promise<void> | null = null;
  #isBackingOff = false;

  constructor(private readonly options: PeriodicTaskOptions) {}

  /** Starts the runs. Has no effect if the task was started or stopped before. */
  start(): void {
    this.#running ??= this.#runUntilStopped();
  }

  /** Ends the pause, or lets another run follow the present one at once. The pause after a failure is not shortened. */
  wake(): void {
    if (!this.#isBackingOff) this.#wakeUp.wake();
  }

  /** Starts no further run, and waits for the present one. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp.wake();
    await this.#running;
  }

  async #runUntilStopped(): Promise<void> {
    const { run, everyMs, retryMinMs = everyMs, retryMaxMs = retryMinMs, onError, isDelayed } = this.options;
    const backoff = new Backoff({ minPauseMs: retryMinMs, maxPauseMs: retryMaxMs });
    const { signal } = this.#stopping;
    if (isDelayed === true) await this.#wakeUp.wait(everyMs);
    while (!signal.aborted) {
      this.#wakeUp.clear();
      try {
        const outcome = await run(signal);
        backoff.reset();
        if (outcome === 'done') return;
        if (outcome !== 'repeat' && !signal.aborted) await this.#wakeUp.wait(outcome ?? everyMs);
      } catch (error) {
        if (signal.aborted) return;
        this.#isBackingOff = true;
        this.#wakeUp.clear();
        const pauseMs = backoff.next();
        onError(error, pauseMs);
        await this.#wakeUp.wait(pauseMs);
        this.#isBackingOff = false;
      }
    }
  }
}
