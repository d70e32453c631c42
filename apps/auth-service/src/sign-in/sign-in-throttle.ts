/** How many failed tries are free, and how long the longest wait after more of them is. */
interface Patience {
  readonly freeTries: number;
  readonly longestWaitMs: number;
}

/** Short waits for an account, so that guessing never locks its owner out. */
const ACCOUNT: Patience = { freeTries: 10, longestWaitMs: 30_000 };
/** Many people may share an address. */
const ADDRESS: Patience = { freeTries: 50, longestWaitMs: 60_000 };

const FORGOTTEN_AFTER_MS = 15 * 60_000;
const MAX_KEYS = 20_000;

interface Tries {
  failed: number;
  lastAtMs: number;
}

/** Who tries to sign in to what. `account` is the login as typed, normalised: it need not exist. */
export interface SignInTry {
  readonly account: string;
  readonly address: string;
}

/**
 * Slows guessing down: after some failed tries each next one must wait, twice as long every time. Counts per
 * account and per address, in memory; the key that was quiet longest is forgotten first.
 */
export class SignInThrottle {
  readonly #tries = new Map<string, Tries>();

  /** Milliseconds until this may be tried; 0 when now, and then it counts as failed until `succeeded` is called. */
  begin(attempt: SignInTry, nowMs: number): number {
    const keys = keysOf(attempt);
    const waitMs = Math.max(...keys.map(([key, patience]) => this.#waitMs(key, patience, nowMs)));
    if (waitMs > 0) return waitMs;
    for (const [key] of keys) this.#count(key, nowMs);
    return 0;
  }

  /** The password was right: the account starts anew, the address gets its try back. */
  succeeded(attempt: SignInTry): void {
    const [[account], [address]] = keysOf(attempt);
    this.#tries.delete(account);
    const shared = this.#tries.get(address);
    if (shared) shared.failed -= 1;
  }

  #waitMs(key: string, patience: Patience, nowMs: number): number {
    const tries = this.#tries.get(key);
    if (!tries || nowMs - tries.lastAtMs >= FORGOTTEN_AFTER_MS || tries.failed < patience.freeTries) return 0;
    const pauseMs = Math.min(1_000 * 2 ** (tries.failed - patience.freeTries), patience.longestWaitMs);
    return Math.max(tries.lastAtMs + pauseMs - nowMs, 0);
  }

  #count(key: string, nowMs: number): void {
    const earlier = this.#tries.get(key);
    const isForgotten = !earlier || nowMs - earlier.lastAtMs >= FORGOTTEN_AFTER_MS;
    this.#tries.delete(key);
    this.#tries.set(key, { failed: isForgotten ? 1 : earlier.failed + 1, lastAtMs: nowMs });
    const [quietest] = this.#tries.keys();
    if (this.#tries.size > MAX_KEYS && quietest !== undefined) this.#tries.delete(quietest);
  }
}

function keysOf(attempt: SignInTry): [[string, Patience], [string, Patience]] {
  return [
    [`account ${attempt.account}`, ACCOUNT],
    [`address ${attempt.address}`, ADDRESS],
  ];
}
