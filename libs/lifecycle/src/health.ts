import { LIMITS } from '@settle/config';

const { checkWaitMs, checksKeptMs } = LIMITS.health;

/** Each says whether one thing that the process stands on answers; a rejection says no, and so does silence. */
export type Checks = Readonly<Record<string, () => boolean | Promise<boolean>>>;

export interface Readiness {
  readonly status: 'ready' | 'starting' | 'draining' | 'unready';
  readonly checks: Readonly<Record<string, boolean>>;
}

/** Whether a process can be given work. Answers are kept for a moment, so that whoever asks often costs nothing. */
export class Health {
  #checks: Checks | null = null;
  #drainsSinceMs: number | null = null;
  #asked: { readonly atMs: number; readonly results: Promise<Readiness['checks']> } | null = null;

  /** @param nowMs a clock that only goes forwards */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Everything runs; from now on the checks decide. */
  started(checks: Checks): void {
    this.#checks = checks;
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
    return { status: Object.values(checks).every(Boolean) ? 'ready' : 'unready', checks };
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
