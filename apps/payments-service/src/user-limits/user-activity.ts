import type { UserLimits } from '@settle/config';

const DAY_US = 86_400_000_000;

/** Names whose amount a day it is: an app's, or that of a user who trusts the one who charges. */
export type AllowanceKey = `app:${string}` | `payer:${string}`;

/** The part of a daily amount, set by the owner of the wallet, that a command uses. */
export interface Allowance {
  readonly key: AllowanceKey;
  /** Without the fee. */
  readonly cents: number;
  /** Null: no limit. */
  readonly amountPerDayCents: number | null;
}

/** The activity that a command would add for a user. */
export interface Demand {
  readonly userId: string;
  /** The payee of a new payment or the target of a new charge, as `payeeKey` names it; null: an approval. */
  readonly payee: string | null;
  /** A charge, which may stay pending. */
  readonly isRequest: boolean;
  /** The amount that the user would pay in cents, without the fee; 0 for none. */
  readonly spentCents: number;
  /** Null: it moves no money without an approval. */
  readonly allowance: Allowance | null;
}

/** A user's activity as the read models show it. Times are microseconds since 1970. */
export interface StoredActivity {
  /** Pending charges that the user made, by payee. */
  readonly pendingByPayee: ReadonlyMap<string, number>;
  /** Users and addresses that the user paid or charged within a day, with the time of the first such payment. */
  readonly payees: ReadonlyMap<string, number>;
  /** False: the user made so many payments that only the payees of the newest ones were read. */
  readonly hasAllPayees: boolean;
  /** Paid and approved within a day, cents. */
  readonly spentCents: number;
  /** The amounts in cents that were used within a day of each requested allowance. */
  readonly takenCents: ReadonlyMap<AllowanceKey, number>;
}

export type ExceededLimit = keyof UserLimits;

/** Names a payee in the activity: the user, or an address that no user has verified, normalized. */
export function payeeKey(userId: string | null, type: string, address: string): string {
  return userId ?? `${type}:${address}`;
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
  readonly #pending: Map<string, number>;
  #pendingTotal = 0;
  /** Paid or charged within a day, perhaps not for the first time. */
  readonly #payees: Map<string, number>;
  /** Known to be first paid or charged within a day; null until they were looked up. */
  #newPayees: Map<string, number> | null = null;
  #hasAllPayees: boolean;
  #spentCents: number;
  /** Only allowances with an amount are here. */
  readonly #takenCents: Map<AllowanceKey, number>;
  #hasAdditions = false;

  constructor(
    private readonly limits: UserLimits,
    stored: StoredActivity,
  ) {
    this.#pending = new Map(stored.pendingByPayee);
    for (const count of this.#pending.values()) this.#pendingTotal += count;
    this.#payees = new Map(stored.payees);
    this.#hasAllPayees = stored.hasAllPayees;
    this.#spentCents = stored.spentCents;
    this.#takenCents = new Map(stored.takenCents);
  }

  /** Returns the limit of pending charges or amounts that a demand exceeds, or null. */
  exceeds({ payee, isRequest, spentCents }: Demand): ExceededLimit | null {
    const { pendingPerPair, pendingPerUser, amountPerDayCents } = this.limits;
    if (isRequest && payee !== null) {
      if ((this.#pending.get(payee) ?? 0) >= pendingPerPair) return 'pendingPerPair';
      if (this.#pendingTotal >= pendingPerUser) return 'pendingPerUser';
    }
    const isLimited = amountPerDayCents !== null && spentCents > 0;
    return isLimited && this.#spentCents + spentCents > amountPerDayCents ? 'amountPerDayCents' : null;
  }

  /** Whether what was taken of a demand's allowance is known, or does not matter. */
  knowsAllowanceOf({ allowance }: Demand): boolean {
    return !isLimited(allowance) || this.#takenCents.has(allowance.key);
  }

  /** Whether a demand takes more than is left of its allowance. What was taken must be known. */
  exceedsAllowance({ allowance }: Demand): boolean {
    return (
      isLimited(allowance) && (this.#takenCents.get(allowance.key) ?? 0) + allowance.cents > allowance.amountPerDayCents
    );
  }

  /** The allowances of which is known what was taken. */
  get knownAllowances(): readonly AllowanceKey[] {
    return [...this.#takenCents.keys()];
  }

  /** Takes over what was taken of allowances within a day. */
  setTaken(takenCents: ReadonlyMap<AllowanceKey, number>): void {
    for (const [key, cents] of takenCents) this.#takenCents.set(key, cents);
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
    const { payee, isRequest } = demand;
    this.#hasAdditions = true;
    this.#take(demand, 1);
    if (payee === null) return;
    if (isRequest) {
      this.#pending.set(payee, (this.#pending.get(payee) ?? 0) + 1);
      this.#pendingTotal += 1;
    }
    const isCounted = this.#payees.has(payee) || this.#newPayees?.has(payee);
    if (countsPayee && !isCounted) this.#payees.set(payee, nowUs);
  }

  /** Takes back a charge that is not pending: it was settled at once, or never stored. */
  removePending({ payee, isRequest }: Demand): void {
    if (!isRequest || payee === null) return;
    const count = (this.#pending.get(payee) ?? 0) - 1;
    if (count > 0) this.#pending.set(payee, count);
    else this.#pending.delete(payee);
    this.#pendingTotal = Math.max(0, this.#pendingTotal - 1);
  }

  /** Takes back what was not paid. */
  removeSpent(demand: Demand): void {
    this.#take(demand, -1);
  }

  #take({ spentCents, allowance }: Demand, sign: 1 | -1): void {
    this.#spentCents += sign * spentCents;
    const takenCents = allowance === null ? undefined : this.#takenCents.get(allowance.key);
    if (allowance !== null && takenCents !== undefined) {
      this.#takenCents.set(allowance.key, takenCents + sign * allowance.cents);
    }
  }

  #forgetBefore(sinceUs: number): void {
    for (const payees of [this.#payees, this.#newPayees ?? new Map<string, number>()]) {
      for (const [payee, atUs] of payees) if (atUs <= sinceUs) payees.delete(payee);
    }
  }
}

function isLimited(allowance: Allowance | null): allowance is Allowance & { readonly amountPerDayCents: number } {
  return allowance !== null && allowance.amountPerDayCents !== null;
}
