import type { UserLimits } from '@settle/config';

/** After a day amounts no longer count for limits. */
export const DAY_US = 86_400_000_000;

/** Names whose amount a day it is: an app's, or that of a user who trusts the one who charges. */
export type AllowanceKey = `app:${string}` | `payer:${string}`;

/** A counter of a user: pending charges, to one payee or to all, and cents paid and approved within a day. */
export type Counter = `pending:${string}` | 'pending' | 'spent' | AllowanceKey;

/** The amount that a demand adds to a counter: one charge, or cents without the fee. */
export interface Use {
  readonly counter: Counter;
  readonly amount: number;
  /** Name of the limit; of an allowance the amount per day that the owner of the wallet has set, or null for no limit. */
  readonly limit: Exclude<keyof UserLimits, 'newPayeesPerDay'> | number | null;
}

/** The activity that a command would add for a user. */
export interface Demand {
  readonly userId: string;
  /** The payee of a new payment or the target of a new charge: the user, or an address; null: an approval. */
  readonly payee: string | null;
  /** A charge, which may stay pending. */
  readonly isRequest: boolean;
  /** In the order in which the limits are checked. */
  readonly uses: readonly Use[];
}

/** A user's activity as the read models show it. Times are microseconds since 1970. */
export interface StoredActivity {
  /** Absent: 0, but an allowance that was not requested is unknown. */
  readonly counts: ReadonlyMap<Counter, number>;
  /** Users and addresses that the user paid or charged within a day, with the time of the first such payment. */
  readonly payees: ReadonlyMap<string, number>;
  /** False: the user made so many payments that only the payees of the newest ones were read. */
  readonly hasAllPayees: boolean;
}

/** Returns the use of an allowance whose owner has set an amount per day; undefined if there is none. */
export function limitedAllowance({ uses }: Demand): (Use & { readonly counter: AllowanceKey }) | undefined {
  return uses.find(({ limit }) => typeof limit === 'number') as ReturnType<typeof limitedAllowance>;
}

/** Returns the beginning of the rolling day that ends now, microseconds since 1970. */
export function dayBeforeUs(nowUs: number): number {
  return nowUs - DAY_US;
}

/**
 * An upper bound of what a user has pending and did within a day: what was read, and what this process admitted since.
 * Charges that ended meanwhile and days that passed make it too high, never too low, so that a demand that fits is
 * decided without the database.
 */
export class UserActivity {
  /** An allowance is here only once its use is known. */
  readonly #counts: Map<Counter, number>;
  /** Paid or charged within a day, perhaps not for the first time. */
  readonly #payees: Map<string, number>;
  /** Known to be first paid or charged within a day; null until they were looked up. */
  #newPayees: Map<string, number> | null = null;
  #hasAllPayees: boolean;
  #hasAdditions = false;

  constructor(
    private readonly limits: UserLimits,
    stored: StoredActivity,
  ) {
    this.#counts = new Map(stored.counts);
    this.#payees = new Map(stored.payees);
    this.#hasAllPayees = stored.hasAllPayees;
  }

  /** Returns the first use of a demand that exceeds its limit. What was used of its allowance must be known. */
  exceeds({ uses }: Demand): Use | undefined {
    return uses.find(({ counter, amount, limit }) => {
      const most = typeof limit === 'string' ? this.limits[limit] : limit;
      return most !== null && (this.#counts.get(counter) ?? 0) + amount > most;
    });
  }

  /** Whether what was used of a demand's allowance is known, or does not matter. */
  knowsAllowanceOf(demand: Demand): boolean {
    const allowance = limitedAllowance(demand);
    return allowance === undefined || this.#counts.has(allowance.counter);
  }

  /** The allowances of which is known what was used. */
  get knownAllowances(): readonly AllowanceKey[] {
    return [...this.#counts.keys()].filter((counter) => /^(app|payer):/.test(counter)) as AllowanceKey[];
  }

  /** Takes over what was used of allowances within a day. */
  setUsed(usedCents: ReadonlyMap<AllowanceKey, number>): void {
    for (const [key, cents] of usedCents) this.#counts.set(key, cents);
  }

  /** Whether a payee may be one too many, were it new: only then it matters whether it is. */
  mayExceedPayees({ payee }: Demand, nowUs: number): boolean {
    if (payee === null || this.#payees.has(payee) || this.#newPayees?.has(payee)) return false;
    this.#forgetBefore(dayBeforeUs(nowUs));
    const used = this.#payees.size + (this.#newPayees?.size ?? 0);
    return !this.#hasAllPayees || used >= this.limits.newPayeesPerDay;
  }

  /** Whether all payees that count are known to be new. */
  get hasExactPayees(): boolean {
    return this.#newPayees !== null && this.#payees.size === 0;
  }

  /** Takes the payees that were first paid or charged within a day, all of them, by the time of that. */
  setNewPayees(newPayees: ReadonlyMap<string, number>): void {
    this.#newPayees = new Map(newPayees);
    this.#payees.clear();
    this.#hasAllPayees = true;
  }

  /** Returns the time until the oldest new payee is a day old, in microseconds. */
  payeeFreeInUs(nowUs: number): number {
    const oldestUs = Math.min(...(this.#newPayees?.values() ?? []), nowUs);
    return oldestUs - dayBeforeUs(nowUs);
  }

  /** Whether anything was added to what was read. */
  get hasAdditions(): boolean {
    return this.#hasAdditions;
  }

  /** @param countsPayee false: the user is known to have paid or charged this payee before */
  add(demand: Demand, nowUs: number, countsPayee: boolean): void {
    const { payee, uses } = demand;
    this.#hasAdditions = true;
    for (const use of uses) this.#count(use, 1);
    const isCounted = payee === null || this.#payees.has(payee) || this.#newPayees?.has(payee);
    if (countsPayee && !isCounted) this.#payees.set(payee, nowUs);
  }

  /**
   * Takes back a charge that is not pending, because it was settled at once or never stored, or an amount that was not
   * paid.
   */
  remove(what: 'pending charge' | 'amount', { uses }: Demand): void {
    for (const use of uses) {
      if (use.counter.startsWith('pending') === (what === 'pending charge')) this.#count(use, -1);
    }
  }

  #count({ counter, amount, limit }: Use, sign: 1 | -1): void {
    const after = (this.#counts.get(counter) ?? 0) + sign * amount;
    const isKept = typeof limit === 'string' ? after > 0 : this.#counts.has(counter);
    if (isKept) this.#counts.set(counter, after);
    else this.#counts.delete(counter);
  }

  #forgetBefore(sinceUs: number): void {
    for (const payees of [this.#payees, this.#newPayees ?? new Map<string, number>()]) {
      for (const [payee, atUs] of payees) if (atUs <= sinceUs) payees.delete(payee);
    }
  }
}
