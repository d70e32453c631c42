import { withTimeout } from '@settle/concurrency';
import { LIMITS } from '@settle/config';

const { checkWaitMs, checksKeptMs } = LIMITS.health;

/** Each check reports whether one dependency of the process responds; a rejection or a timeout counts as no. */
export type Checks = Readonly<Record<string, () => boolean | Promise<boolean>>>;

/** Lag in milliseconds of everything that may be behind while the process serves. */
export type Lags = Readonly<Record<string, () => number>>;

export interface Readiness {
  readonly status: 'ready' | 'starting' | 'draining' | 'unready';
  readonly checks: Readonly<Record<string, boolean>>;
  /** Absent if nothing can be behind. It does not affect the status: an instance that is behind still serves. */
  readonly behindSeconds?: Readonly<Record<string, number>>;
}

/** Whether a process can take work. Results are cached for a moment, so that frequent checks cost nothing. */
export class Health {
  #checks: Checks | null = null;
  #lags: Lags = {};
  #drainsSinceMs: number | null = null;
  #asked: { readonly atMs: number; readonly results: Promise<Readiness['checks']> } | null = null;

  /** @param nowMs monotonic clock */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Everything runs: from now on the checks decide. */
  started(checks: Checks, lags: Lags = {}): void {
    this.#checks = checks;
    this.#lags = lags;
  }

  /** From now on the process gets no new work. */
  drain(): void {
    this.#drainsSinceMs ??= this.nowMs();
  }

  /** Returns false if the process is stuck and should be killed. A response alone shows that the event loop runs. */
  isAlive(): boolean {
    return this.#drainsSinceMs === null || this.nowMs() - this.#drainsSinceMs < LIMITS.launcher.stopWaitMs;
  }

  async readiness(): Promise<Readiness> {
    if (this.#drainsSinceMs !== null) return { status: 'draining', checks: {} };
    if (this.#checks === null) return { status: 'starting', checks: {} };
    const checks = await this.#results(this.#checks);
    // Draining may have begun since.
    if (this.#drainsSinceMs !== null) return { status: 'draining', checks };
    const status = Object.values(checks).every(Boolean) ? 'ready' : 'unready';
    const lags = Object.entries(this.#lags).map(([name, behindMs]) => [name, behindMs() / 1_000] as const);
    return lags.length === 0 ? { status, checks } : { status, checks, behindSeconds: Object.fromEntries(lags) };
  }

  #results(checks: Checks): Promise<Readiness['checks']> {
    const atMs = this.nowMs();
    if (this.#asked === null || atMs - this.#asked.atMs >= checksKeptMs) {
      this.#asked = { atMs, results: resultsOf(checks) };
    }
    return this.#asked.results;
  }
}

async function resultsOf(checks: Checks): Promise<Readiness['checks']> {
  const results = Object.entries(checks).map(async ([name, check]) => {
    const result = withTimeout((async () => check())(), checkWaitMs, () => new Error('timeout'));
    return [name, await result.catch(() => false)] as const;
  });
  return Object.fromEntries(await Promise.all(results));
}
