import { LIMITS } from '@settle/config';

const { checkWaitMs, checksKeptMs } = LIMITS.health;
const MS_PER_SECOND = 1_000;

/** Each says whether one thing that the process stands on answers; a rejection says no, and so does silence. */
export type Checks = Readonly<Record<string, () => boolean | Promise<boolean>>>;

/** How far each thing is behind that the process answers without, in milliseconds. */
export type Lags = Readonly<Record<string, () => number>>;

export interface Readiness {
  readonly status: 'ready' | 'starting' | 'draining' | 'unready';
  readonly checks: Readonly<Record<string, boolean>>;
  /** Absent where nothing can be behind. It decides nothing: whoever is behind still answers. */
  readonly behindSeconds?: Readonly<Record<string, number>>;
}

/** Whether a process can be given work. Answers are kept for a moment, so that whoever asks often costs nothing. */
export class Health {
  #checks: Checks | null = null;
  #lags: Lags = {};
  #drainsSinceMs: number | null = null;
  #asked: { readonly atMs: number; readonly results: Promise<Readiness['checks']> } | null = null;

  /** @param nowMs a clock that only goes forwards */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Everything runs; from now on the checks decide. */
  started(checks: Checks, lags: Lags = {}): void {
    this.#checks = checks;
    this.#lags = lags;
  }

  /** From now on the process is given nothing new. */
  drain(): void {
    this.#drainsSinceMs ??= this.nowMs();
  }

  /** False: it is stuck, and somebody should kill it. That it answers at all shows that it turns. */
  isAlive(): boolean {
    return this.#drainsSinceMs === null || this.nowMs() - this.#drainsSinceMs < LIMITS.launcher.stopWaitMs;
  }

  async readiness(): Promise<Readiness> {
    if (this.#drainsSinceMs !== null) return { status: 'draining', checks: {} };
    if (this.#checks === null) return { status: 'starting', checks: {} };
    const checks = await this.#results(this.#checks);
    // It may have begun meanwhile.
    if (this.#drainsSinceMs !== null) return { status: 'draining', checks };
    const status = Object.values(checks).every(Boolean) ? 'ready' : 'unready';
    const lags = Object.entries(this.#lags).map(([name, behindMs]) => [name, behindMs() / MS_PER_SECOND] as const);
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
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await inTime(check)] as const),
  );
  return Object.fromEntries(results);
}

async function inTime(check: Checks[string]): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), checkWaitMs)));
  const answer = (async () => check())().catch(() => false);
  const isGood = await Promise.race([answer, tooLate]);
  clearTimeout(timer);
  return isGood;
}
