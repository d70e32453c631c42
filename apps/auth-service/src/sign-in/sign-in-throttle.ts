import { LIMITS } from '@settle/config';
import { networksAround } from '@settle/lifecycle';
import { Injectable } from '@nestjs/common';
import { Tries, type Counted, type Patience } from './tries.js';

/** Short waits for an account: even from a browser that is not known its owner gets in between the guesses. */
const ACCOUNT: Patience = { freeTries: 10, firstWaitMs: 1_000, longestWaitMs: 30_000 };
/** One account has several names, each counted by itself. */
const PERSON: Patience = { ...ACCOUNT, freeTries: 30 };
/**
 * By the size of the network, the smallest first. Many users may share an address. A customer may have all of a network
 * of 56 or 48 bits; but mobile providers put many customers into one, so the waits for these are shorter.
 */
const ADDRESS: Patience = { freeTries: 50, firstWaitMs: 1_000, longestWaitMs: 60_000 };
const NETWORKS: readonly Patience[] = [
  ADDRESS,
  { freeTries: 100, firstWaitMs: 1_000, longestWaitMs: 30_000 },
  { freeTries: 200, firstWaitMs: 1_000, longestWaitMs: 10_000 },
];

/** Guesses from all over the world together, below what a core can hash; a browser that is known is not held up. */
const EVERYWHERE: Patience = { freeTries: 500, firstWaitMs: 100, longestWaitMs: 100 };
/** Right passwords cost as much to compare as wrong ones. */
const HASHES: Patience = { freeTries: LIMITS.auth.hashesPerCaller, firstWaitMs: 1_000, longestWaitMs: 2_000 };

/** Who tries to sign in to what. */
export interface SignInTry {
  /** The login as typed, normalised: it need not exist. */
  readonly account: string;
  /** Whose account it is; null: nobody's. */
  readonly userId: string | null;
  readonly address: string;
  /** The browser in which this account's owner has signed in before: no guess from elsewhere makes it wait. */
  readonly knownBrowser: string | null;
}

/** Whether a sign-in may be tried now, and under which names it was counted. */
export interface SignInPermit {
  /** 0: now, and then it counts as failed until `succeeded` or `withdrawn` is called. */
  readonly waitMs: number;
  readonly attempt: SignInTry;
  /** What it counts for as a guess, beside the account. */
  readonly guesses: readonly Counted[];
}

/** Slows guessing down, per account and per network, without locking the owner of an account out. */
@Injectable()
export class SignInThrottle {
  constructor(private readonly tries: Tries) {}

  async begin(attempt: SignInTry): Promise<SignInPermit> {
    // From a known browser the account's own few tries are the bound, whatever comes from the address it shares.
    const guesses = attempt.knownBrowser === null ? await this.#guessesOf(attempt) : [];
    const waitMs = await this.tries.begin([accountOf(attempt), ...hashesOf(attempt), ...guesses]);
    return { waitMs, attempt, guesses };
  }

  /** The password was right: the account starts anew, and it was no guess. What it cost to compare stays counted. */
  async succeeded({ attempt, guesses }: SignInPermit): Promise<void> {
    await this.tries.forget(accountOf(attempt).name);
    if (guesses.length > 0) await this.tries.giveBack(guesses.map(({ name }) => name));
  }

  /** The password was not compared after all, so nothing counts. */
  async withdrawn({ attempt, guesses }: SignInPermit): Promise<void> {
    const counted = [accountOf(attempt), ...hashesOf(attempt), ...guesses];
    await this.tries.giveBack(counted.map(({ name }) => name));
  }

  /**
   * What guesses from browsers that are not known count for. The first tries at each account neither count nor wait for
   * those from everywhere: those who guess elsewhere must not keep a user with the right password out. They are not
   * limited to accounts that exist, as the difference would show which do.
   */
  async #guessesOf({ account, address, userId, knownBrowser }: SignInTry): Promise<Counted[]> {
    const made = await this.tries.made(accountOf({ account, knownBrowser }).name);
    return [
      ...networksAround(address).map((network, size) => ({
        name: `address ${network}`,
        patience: NETWORKS[size] ?? ADDRESS,
      })),
      ...(made < LIMITS.auth.firstSignIns ? [] : [{ name: 'everywhere', patience: EVERYWHERE }]),
      ...(userId === null ? [] : [{ name: `person ${userId}`, patience: PERSON }]),
    ];
  }
}

function accountOf({ account, knownBrowser }: Pick<SignInTry, 'account' | 'knownBrowser'>): Counted {
  const from = knownBrowser === null ? '' : ` from ${knownBrowser}`;
  return { name: `account ${account}${from}`, patience: ACCOUNT };
}

function hashesOf({ address, knownBrowser }: SignInTry): Counted[] {
  const callers = knownBrowser === null ? networksAround(address) : [knownBrowser];
  return callers.map((caller) => ({ name: `hashes for ${caller}`, patience: HASHES }));
}
