import { Injectable } from '@nestjs/common';
import { Tries, type Counted, type Patience } from './tries.js';

/** Short waits for an account: even from a browser that is not known its owner gets in between the guesses. */
const ACCOUNT: Patience = { freeTries: 10, firstWaitMs: 1_000, longestWaitMs: 30_000 };
/** Many people may share an address. */
const ADDRESS: Patience = { freeTries: 50, firstWaitMs: 1_000, longestWaitMs: 60_000 };

/** Who tries to sign in to what. */
export interface SignInTry {
  /** The login as typed, normalised: it need not exist. */
  readonly account: string;
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
    return this.tries.begin(
      attempt.knownBrowser === null ? [accountOf(attempt), addressOf(attempt)] : [accountOf(attempt)],
    );
  }

  /** The password was right: the account starts anew, the address gets its try back. */
  async succeeded(attempt: SignInTry): Promise<void> {
    await this.tries.forget(accountOf(attempt).name);
    if (attempt.knownBrowser === null) await this.tries.giveBack(addressOf(attempt).name);
  }
}

function accountOf({ account, knownBrowser }: SignInTry): Counted {
  const from = knownBrowser === null ? '' : ` from ${knownBrowser}`;
  return { name: `account ${account}${from}`, patience: ACCOUNT };
}

function addressOf({ address }: SignInTry): Counted {
  return { name: `address ${address}`, patience: ADDRESS };
}
