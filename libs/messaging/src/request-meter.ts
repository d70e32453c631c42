import { SettleError } from '@settle/contracts';
import type { Latencies, Metrics } from '@settle/observability';

const INTERNAL_FROM_STATUS = 500;

/** Measures the requests that a process sends or handles: number in progress, outcomes and durations. */
export class RequestMeter {
  readonly #latencies: Latencies | null = null;
  #inProgress = 0;

  /** @param metrics absent: no metrics */
  constructor(
    metrics: Metrics | undefined,
    private readonly side: 'asked' | 'answered',
  ) {
    if (metrics === undefined) return;
    this.#latencies = metrics.latencies('busRequestSeconds');
    metrics.register('busRequestsInProgress', () => [[{ side }, this.#inProgress]]);
  }

  /** Measures `work` and returns its outcome. Patterns must come from the contracts. */
  measure(pattern: string, work: () => Promise<object>): Promise<object> {
    return this.#latencies === null ? work() : this.#measured(this.#latencies, pattern, work);
  }

  async #measured(latencies: Latencies, pattern: string, work: () => Promise<object>): Promise<object> {
    const beganAtMs = performance.now();
    let outcome = 'ok';
    this.#inProgress += 1;
    try {
      return await work();
    } catch (error) {
      outcome = error instanceof SettleError && error.status < INTERNAL_FROM_STATUS ? 'refused' : 'failed';
      throw error;
    } finally {
      this.#inProgress -= 1;
      latencies.of(this.side, pattern, outcome).observe((performance.now() - beganAtMs) / 1_000);
    }
  }
}
