import { SettleError } from '@settle/contracts';
import type { Latencies, Metrics } from '@settle/observability';

const INTERNAL_FROM_STATUS = 500;

/** Measures the requests that a process asks, or answers: how many are in progress, how they end, how long they take. */
export class RequestMeter {
  readonly #latencies: Latencies | null = null;
  #inProgress = 0;

  /** @param metrics absent: nothing is measured */
  constructor(
    metrics: Metrics | undefined,
    private readonly side: 'asked' | 'answered',
  ) {
    if (metrics === undefined) return;
    this.#latencies = metrics.latencies('busRequestSeconds');
    metrics.show('busRequestsInProgress', () => [[{ side }, this.#inProgress]]);
  }

  /** Ends as `work` does. Patterns must come from the contracts. */
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
