import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { SettleError } from '@settle/contracts';
import { LIMITS } from '@settle/config';
import { hash, parseOptions, verify } from '@node-rs/argon2';

/** OWASP's least for Argon2id (2): 19 MiB, two passes, one lane. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** More than there are cores would only keep whoever answers requests off them. */
const AT_ONCE = Math.min(LIMITS.auth.hashesInProgress, availableParallelism());

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** Fits no password, and takes as long to refuse as a real one. */
const NOBODYS_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${base64(randomBytes(16))}$${base64(randomBytes(32))}`;

/** Hashes passwords, a few at a time: each takes a core and 19 MiB. */
export class Passwords {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** The hash as it is stored, with its parameters and salt. Error: `rate_limited` when too many wait. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(canonical(password), PARAMETERS));
  }

  /**
   * Whether `password` is the one of the `stored` hash; null stands for a person who does not exist and takes as long.
   * Error: `rate_limited` when too many wait.
   * @param isStranger in a browser that is not known: some places are kept for those who sign in where they did before
   */
  verify(stored: string | null, password: string, isStranger = false): Promise<boolean> {
    const places = isStranger ? LIMITS.auth.strangersWaiting : LIMITS.auth.hashesWaiting;
    return this.#inTurn(() => verify(stored ?? NOBODYS_HASH, canonical(password)), places);
  }

  /** Whether the hash was made with weaker parameters than are used now. */
  isOutdated(stored: string): boolean {
    const { memoryCost, timeCost } = parseOptions(stored);
    return memoryCost < PARAMETERS.memoryCost || timeCost < PARAMETERS.timeCost;
  }

  async #inTurn<Result>(work: () => Promise<Result>, places: number = LIMITS.auth.hashesWaiting): Promise<Result> {
    await this.#turn(places);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #turn(places: number): Promise<void> {
    if (this.#running < AT_ONCE) {
      this.#running += 1;
      return Promise.resolve();
    }
    if (this.#waiting.length >= places) {
      throw new SettleError(
        'rate_limited',
        'Too many people are signing in at the moment. Try again in a few seconds.',
        {
          retryAfterSeconds: 2,
        },
      );
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** The same password typed on another keyboard may come as other code points. */
function canonical(password: string): string {
  return password.normalize('NFKC');
}
