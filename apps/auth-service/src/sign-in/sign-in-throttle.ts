import { LIMITS } from '@settle/config';
import { callerAtAddress } from '@settle/lifecycle';
import { Injectable } from '@nestjs/common';
import { Tries, type Counted, type Patience } from './tries.js';

/** Short waits for an account: even from a browser that is not known its owner gets in between the guesses. */
const ACCOUNT: Patience = { freeTries: 10, firstWaitMs: 1_000, longestWaitMs: 30_000 };
/** One account has several names, each counted by itself. */
const PERSON: Patience = { ...ACCOUNT, freeTries: 30 };
/** Many people may share an address. */
const ADDRESS: Patience = { freeTries: 50, firstWaitMs: 1_000, longestWaitMs: 60_000 };

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

/** Slows guessing down, per account and per address, without locking the owner of an account out. */
@Injectable()
export class SignInThrottle {
  constructor(private readonly tries: Tries) {}

  /** Milliseconds until this may be tried; 0 when now, and then it counts as failed until `succeeded` is called. */
  begin(attempt: SignInTry): Promise<number> {
    // From a known browser the account's own few tries are the bound, whatever comes from the address it shares.
    return this.tries.begin([accountOf(attempt), hashesOf(attempt), ...guessesOf(attempt)]);
  }

  /** The password was right: the account starts anew, and it was no guess. What it cost to compare stays counted. */
  async succeeded(attempt: SignInTry): Promise<void> {
    await this.tries.forget(accountOf(attempt).name);
    for (const { name } of guessesOf(attempt)) await this.tries.giveBack(name);
  }
}

function accountOf({ account, knownBrowser }: SignInTry): Counted {
  const from = knownBrowser === null ? '' : ` from ${knownBrowser}`;
  return { name: `account ${account}${from}`, patience: ACCOUNT };
}

function hashesOf({ address, knownBrowser }: SignInTry): Counted {
  return { name: `hashes for ${knownBrowser ?? callerAtAddress(address)}`, patience: HASHES };
}

/** What guesses from browsers that are not known count for, beside the account. */
function guessesOf({ address, userId, knownBrowser }: SignInTry): Counted[] {
  if (knownBrowser !== null) return [];
  return [
    { name: `address ${callerAtAddress(address)}`, patience: ADDRESS },
    { name: 'everywhere', patience: EVERYWHERE },
    ...(userId === null ? [] : [{ name: `person ${userId}`, patience: PERSON }]),
  ];
}
