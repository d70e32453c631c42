import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Semaphore } from '@settle/concurrency';
import { SettleError } from '@settle/contracts';
import { LIMITS } from '@settle/config';
import { hash, parseOptions, verify } from '@node-rs/argon2';

/** OWASP's minimum for Argon2id (2): 19 MiB, two passes, one thread. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Returns how many hashes may run at once: one core is left for other requests where there are several. */
export function computeMaxConcurrent(coreCount: number): number {
  return Math.max(1, Math.min(LIMITS.auth.hashesInProgress, coreCount - 1));
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** Matches no password and takes as long to refuse as a real hash. */
const DUMMY_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${base64(randomBytes(16))}$${base64(randomBytes(32))}`;

/** Hashes passwords with limited concurrency: each hash takes a core and 19 MiB. */
export class Passwords {
  readonly #slots = new Semaphore({ slots: computeMaxConcurrent(availableParallelism()) });

  /** @param waitMs longest wait for a hash to begin */
  constructor(private readonly waitMs: number) {}

  /**
   * Returns the hash in its stored form, with parameters and salt. Error: `rate_limited` if the queue is full or the wait
   * is over.
   */
  hash(password: string): Promise<string> {
    return this.#runQueued(() => hash(normalizePassword(password), PARAMETERS));
  }

  /**
   * Whether `password` matches the `stored` hash; null stands for an unknown user and takes as long.
   * Error: `rate_limited` if the queue is full or the wait is over.
   * @param isUntrusted the browser is not a trusted device: part of the queue is reserved for those
   */
  verify(stored: string | null, password: string, isUntrusted = false): Promise<boolean> {
    const maxWaiting = isUntrusted ? LIMITS.auth.untrustedHashesWaiting : LIMITS.auth.hashesWaiting;
    return this.#runQueued(() => verify(stored ?? DUMMY_HASH, normalizePassword(password)), maxWaiting);
  }

  /** Whether the hash was made with weaker parameters than are used now. */
  isOutdated(stored: string): boolean {
    const { memoryCost, timeCost } = parseOptions(stored);
    return memoryCost < PARAMETERS.memoryCost || timeCost < PARAMETERS.timeCost;
  }

  async #runQueued<Result>(
    work: () => Promise<Result>,
    maxWaiting: number = LIMITS.auth.hashesWaiting,
  ): Promise<Result> {
    if (this.#slots.waiting >= maxWaiting || !(await this.#slots.acquire(this.waitMs))) {
      const message = 'Too many users are signing in at the moment. Try again in a few seconds.';
      throw new SettleError('rate_limited', message, { retryAfterSeconds: 2 });
    }
    try {
      return await work();
    } finally {
      this.#slots.release();
    }
  }
}

/** The same password may consist of other code points on another keyboard. */
function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}
