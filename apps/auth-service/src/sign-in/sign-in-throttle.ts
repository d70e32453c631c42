import { LIMITS } from '@settle/config';
import { networksAround } from '@settle/lifecycle';
import { Injectable } from '@nestjs/common';
import { AttemptThrottle, type ThrottleKey, type Backoff } from './attempt-throttle.js';

/** Short waits per account: even in an untrusted browser its owner can sign in between the guesses of an attacker. */
const ACCOUNT: Backoff = { freeAttempts: 10, firstWaitMs: 1_000, maxWaitMs: 30_000 };
/** For all identifiers of a user together: each identifier is also counted as an account. */
const USER: Backoff = { ...ACCOUNT, freeAttempts: 30 };
/**
 * Per network, the smallest first. Many users may share an address. One customer may have a whole /56 or /48 network,
 * but mobile providers put many customers into one, so the waits for these are shorter.
 */
const ADDRESS: Backoff = { freeAttempts: 50, firstWaitMs: 1_000, maxWaitMs: 60_000 };
const NETWORKS: readonly Backoff[] = [
  ADDRESS,
  { freeAttempts: 100, firstWaitMs: 1_000, maxWaitMs: 30_000 },
  { freeAttempts: 200, firstWaitMs: 1_000, maxWaitMs: 10_000 },
];

/** For the failed sign-ins of all callers, below the hashing capacity of a core. Trusted devices are exempt. */
const EVERYWHERE: Backoff = { freeAttempts: 500, firstWaitMs: 100, maxWaitMs: 100 };
/** Counts every comparison, because a correct password costs as much as a wrong one. */
const HASHES: Backoff = { freeAttempts: LIMITS.auth.hashesPerCaller, firstWaitMs: 1_000, maxWaitMs: 2_000 };

export interface SignInAttempt {
  /** The normalized login, which need not exist. */
  readonly account: string;
  /** The account's user; null: the account does not exist. */
  readonly userId: string | null;
  readonly address: string;
  /** The key of the trusted device: attempts from other browsers do not throttle it. Null: not trusted. */
  readonly trustedDevice: string | null;
}

/** The decision about an attempt, with the keys under which it was counted. */
export interface SignInPermit {
  /** 0: allowed now; it counts as failed until `recordSuccess` or `withdraw` is called. */
  readonly waitMs: number;
  readonly account: ThrottleKey;
  readonly hashes: readonly ThrottleKey[];
  /** The further keys of a possible guess. */
  readonly guesses: readonly ThrottleKey[];
}

/** Throttles password guessing per account and per network without locking out the owner of an account. */
@Injectable()
export class SignInThrottle {
  constructor(private readonly throttle: AttemptThrottle) {}

  async begin(attempt: SignInAttempt): Promise<SignInPermit> {
    const { address, trustedDevice } = attempt;
    const from = trustedDevice === null ? '' : ` from ${trustedDevice}`;
    const account = { name: `account ${attempt.account}${from}`, backoff: ACCOUNT };
    const callers = trustedDevice === null ? networksAround(address) : [trustedDevice];
    const hashes = callers.map((caller) => ({ name: `hashes for ${caller}`, backoff: HASHES }));
    // A trusted device has its own limit per account, whatever other callers of its network do.
    const guesses = trustedDevice === null ? await this.#buildGuessKeys(attempt, account) : [];
    return { waitMs: await this.throttle.begin([account, ...hashes, ...guesses]), account, hashes, guesses };
  }

  /** Resets the account after a correct password. The comparison stays counted. */
  async recordSuccess({ account, guesses }: SignInPermit): Promise<void> {
    await this.throttle.reset(account);
    if (guesses.length > 0) await this.throttle.release(guesses);
  }

  /** Removes an attempt whose password was not compared from all counts. */
  withdraw({ account, hashes, guesses }: SignInPermit): Promise<void> {
    return this.throttle.release([account, ...hashes, ...guesses]);
  }

  /**
   * Returns the keys of a guess from an untrusted browser. The first attempts at each account are exempt from the
   * global limit, so that an attacker cannot lock out users with the correct password. Accounts that do not exist are
   * exempt too, so that the difference does not reveal which exist.
   */
  async #buildGuessKeys({ address, userId }: SignInAttempt, account: ThrottleKey): Promise<ThrottleKey[]> {
    const attempts = await this.throttle.countAttempts(account);
    return [
      ...networksAround(address).map((network, size) => ({
        name: `address ${network}`,
        backoff: NETWORKS[size] ?? ADDRESS,
      })),
      ...(attempts < LIMITS.auth.firstSignIns ? [] : [{ name: 'everywhere', backoff: EVERYWHERE }]),
      ...(userId === null ? [] : [{ name: `person ${userId}`, backoff: USER }]),
    ];
  }
}
