import { LIMITS, type UserLimits as Limits } from '@settle/config';
import { SettleError, type PaymentStatus } from '@settle/contracts';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../storage/clock.js';
import { isRefusal, orUnavailable } from '../storage/database-unavailable.js';
import { KeyedMutex } from '@settle/concurrency';
import { exceededError, rateLimited } from './exceeded-error.js';
import type { ProjectedLog } from './projected-log.js';
import type { StoredActivities } from './stored-activity.js';
import { UserActivity, dayBeforeUs, limitedAllowance, type Demand } from './user-activity.js';

const { usersLimited, unknownOutcomeMs } = LIMITS.payments;

/** State of the payment after an admitted command. */
export interface Outcome {
  readonly payment: { readonly status: PaymentStatus };
  /** A read model that has reached this log position shows the payment in this state. */
  readonly position: number;
  /** Wallets whose source has not answered; absent if none can be. */
  readonly unansweredWalletIds?: readonly string[];
}

export interface UserLimitsParts {
  readonly limits: Limits;
  readonly stored: StoredActivities;
  readonly log: ProjectedLog;
  readonly clock: Clock;
}

interface KeptActivity {
  readonly activity: UserActivity;
  /** It includes everything that was stored before the command with this number arrived. */
  readonly readAt: number;
  /** The read models were behind when it was read: it may lack payments that another instance stored. */
  readonly isBehind: boolean;
}

/**
 * Enforces the limits of users. All commands of a user come to one instance, so the counts are in its memory and a
 * demand that fits is admitted at once, in the order of arrival. The database is read for a user's first command, and
 * for one that seems to exceed a limit: after the commands in progress, which may release some of it. Limits are exact:
 * never exceeded, and no demand that fits is refused.
 */
export class UserLimits {
  readonly #kept = new LRUCache<string, KeptActivity>({ max: usersLimited });
  readonly #turns = new KeyedMutex();
  /** Commands in progress by user; the read models may not show them yet. */
  readonly #inProgress = new Map<string, Set<Promise<void>>>();
  /** Users with a command that may still be stored although its response was `outcome_unknown`. */
  readonly #uncertain = new LRUCache<string, true>({ max: usersLimited, ttl: unknownOutcomeMs });
  #arrivals = 0;
  /** Grows when users are reassigned: activity that was read before is not cached after. */
  #moves = 0;

  constructor(private readonly parts: UserLimitsParts) {}

  /** Evicts users who were assigned to or taken from this instance. */
  forget(isMoved: (userId: string) => boolean): void {
    for (const userId of [...this.#kept.keys()]) if (isMoved(userId)) this.#kept.delete(userId);
    this.#moves += 1;
  }

  /**
   * Runs a command's work if the user's limits admit it. Errors, all before the work begins: `rate_limited` with the
   * seconds to wait; `not_permitted` above the amount of an app; `AboveTrust` above that of a user who trusts this one;
   * `service_unavailable` if the limits cannot be checked.
   */
  async admit<Result extends Outcome>(demand: Demand, work: () => Promise<Result>): Promise<Result> {
    const { userId } = demand;
    const arrival = (this.#arrivals += 1);
    const kept = this.#kept.get(userId);
    const nowUs = this.parts.clock.nowUs();
    const fits = this.#isUnlimited(demand) || (kept !== undefined && fitsWithin(kept, demand, nowUs));
    if (fits && !this.#turns.isLocked(userId)) {
      kept?.activity.add(demand, nowUs, true);
      return this.#run(demand, kept?.activity ?? null, work);
    }
    // Registered as in progress while the lock is held, so that the next command waits for it.
    const [running] = await this.#turns.run(userId, async (): Promise<[Promise<Result>]> => {
      const activity = await orUnavailable(this.#decide(demand, arrival));
      return [this.#run(demand, activity, work)];
    });
    return running;
  }

  /**
   * An approval without any amount limit: it is still registered as in progress, because a limit that is set later must
   * see it.
   */
  #isUnlimited(demand: Demand): boolean {
    const hasAllowance = limitedAllowance(demand) !== undefined;
    return demand.payee === null && !hasAllowance && this.parts.limits.amountPerDayCents === null;
  }

  /** Reads what is needed to decide whether a demand fits, and adds it. */
  async #decide(demand: Demand, arrival: number): Promise<UserActivity> {
    const { limits, clock, stored } = this.parts;
    const { userId, payee } = demand;
    let kept = this.#kept.get(userId);
    if (kept === undefined || kept.isBehind || this.#mayBeTooHigh(kept, demand, arrival)) {
      kept = await this.#read(demand, kept);
    }
    const { activity } = kept;
    await this.#readAllowance(demand, kept);
    const exceeded = activity.exceeds(demand);
    if (exceeded !== undefined) throw exceededError(exceeded, limits);
    if (payee === null || !activity.mayExceedPayees(demand, clock.nowUs())) {
      activity.add(demand, clock.nowUs(), true);
      return activity;
    }
    if (!(await this.#isShown(userId))) throw cannotCheck();
    const hasPaid = await stored.hasPaid(userId, payee);
    if (!hasPaid) {
      if (!activity.hasExactPayees) {
        activity.setNewPayees(await stored.newPayees(userId, dayBeforeUs(clock.nowUs())));
      }
      if (activity.mayExceedPayees(demand, clock.nowUs())) {
        throw rateLimited('newPayeesPerDay', limits, activity.payeeFreeInUs(clock.nowUs()));
      }
    }
    activity.add(demand, clock.nowUs(), !hasPaid);
    return activity;
  }

  /**
   * Whether a demand that seems to exceed a limit may fit: the values may be outdated, or some additions may have
   * ended.
   */
  #mayBeTooHigh({ activity, readAt }: KeptActivity, demand: Demand, arrival: number): boolean {
    return activity.exceeds(demand) !== undefined && (readAt < arrival || activity.hasAdditions);
  }

  /** Reads what was used of a demand's allowance if that matters and is unknown. */
  async #readAllowance(demand: Demand, { activity, isBehind }: KeptActivity): Promise<void> {
    const { userId } = demand;
    const allowance = limitedAllowance(demand);
    if (allowance === undefined || (activity.knowsAllowanceOf(demand) && !isBehind)) return;
    if (!(await this.#isShown(userId))) throw cannotCheck();
    const sinceUs = dayBeforeUs(this.parts.clock.nowUs());
    activity.setUsed(await this.parts.stored.usedCents(userId, sinceUs, [allowance.counter]));
  }

  async #read({ userId }: Demand, before: KeptActivity | undefined): Promise<KeptActivity> {
    const moves = this.#moves;
    const isShown = await this.#isShown(userId);
    // Cached activity is more complete than read models that are behind, or that may lack a command with an unknown
    // outcome.
    if ((!isShown || this.#uncertain.has(userId)) && before !== undefined) return before;
    const readAt = this.#arrivals;
    const { limits, stored, clock } = this.parts;
    const allowances = before?.activity.knownAllowances ?? [];
    const activity = new UserActivity(limits, await stored.read(userId, dayBeforeUs(clock.nowUs()), allowances));
    const kept = { activity, readAt, isBehind: !isShown };
    if (moves === this.#moves) this.#kept.set(userId, kept);
    return kept;
  }

  /**
   * Waits for the user's commands in progress, and until the read models show everything that was stored for the user.
   */
  async #isShown(userId: string): Promise<boolean> {
    await Promise.all(this.#inProgress.get(userId) ?? []);
    return this.parts.log.isShown();
  }

  #run<Result extends Outcome>(
    demand: Demand,
    activity: UserActivity | null,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { userId } = demand;
    const running = work();
    const done = running.then(
      ({ payment: { status }, position, unansweredWalletIds = [] }) => {
        this.parts.log.record(position);
        if (status !== 'pending') activity?.remove('pending charge', demand);
        // A pending charge waits for its payer: no trust has settled it, or will once the payer's source has answered.
        const isUntrusted = status === 'pending' && demand.isRequest && unansweredWalletIds.length === 0;
        if (status === 'failed' || isUntrusted) activity?.remove('amount', demand);
      },
      (error: unknown) => {
        if (!isRefusal(error)) {
          this.#uncertain.set(userId, true);
          return;
        }
        activity?.remove('pending charge', demand);
        activity?.remove('amount', demand);
      },
    );
    const inProgress = this.#inProgress.get(userId) ?? new Set();
    this.#inProgress.set(userId, inProgress.add(done));
    void done.then(() => {
      inProgress.delete(done);
      if (inProgress.size === 0 && this.#inProgress.get(userId) === inProgress) this.#inProgress.delete(userId);
    });
    return running;
  }
}

function fitsWithin({ activity, isBehind }: KeptActivity, demand: Demand, nowUs: number): boolean {
  if (isBehind || !activity.knowsAllowanceOf(demand)) return false;
  return activity.exceeds(demand) === undefined && !activity.mayExceedPayees(demand, nowUs);
}

function cannotCheck(): SettleError {
  return new SettleError(
    'service_unavailable',
    'Whether this payment is within the limits of today cannot be checked now, so nothing was begun. Send it again.',
  );
}
