import { KeyedMutex } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { exceededSourceLimit, type SourceLimits } from '@settle/payments-domain';
import { LRUCache } from 'lru-cache';
import type { SourceMoney } from '../read-models/funding/source-money.js';
import type { Clock } from '../storage/clock.js';
import { isRefusal, orUnavailable } from '../storage/database-unavailable.js';
import type { SourceTurn } from '../transfer/source-turn.js';
import type { ProjectedLog } from './projected-log.js';
import { dayBeforeUs } from './user-activity.js';

const { usersLimited, unknownOutcomeMs } = LIMITS.payments;

export interface SourceTurnsParts {
  readonly limits: SourceLimits;
  readonly money: SourceMoney;
  readonly log: ProjectedLog;
  readonly clock: Clock;
}

/**
 * Decides about charges and payouts of a user's source one after another, each once the read models show everything that
 * was decided before. So their limits are exact: the sums are those of the log. A payment from the balance takes no turn.
 */
export class SourceTurns {
  readonly #turns = new KeyedMutex();
  /** Users for whom something may still be stored although its outcome is unknown. */
  readonly #uncertain = new LRUCache<string, true>({ max: usersLimited, ttl: unknownOutcomeMs });

  constructor(private readonly parts: SourceTurnsParts) {}

  /**
   * Runs work in the user's turn. `position`: log position of what it stored; null if nothing. Errors:
   * `service_unavailable` if the limits cannot be checked, all before the work begins; those of the work.
   */
  take<Result extends { readonly position: number | null }>(
    userId: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return this.#turns.run(userId, async () => {
      const { log } = this.parts;
      const isKnown = !this.#uncertain.has(userId) && (await orUnavailable(log.isShown()));
      if (!isKnown) throw cannotCheck();
      try {
        const result = await work();
        // Without an append, another instance may have been faster.
        if (result.position === null) log.forget();
        else log.record(result.position);
        return result;
      } catch (error) {
        if (!isRefusal(error)) this.#uncertain.set(userId, true);
        throw error;
      }
    });
  }

  /** Runs work that may charge the user's source. Errors as `take`. */
  takeForCharge<Result extends { readonly position: number | null }>(
    userId: string,
    work: (turn: SourceTurn) => Promise<Result>,
  ): Promise<Result> {
    const { limits, money, clock } = this.parts;
    return this.take(userId, async () => {
      const use = await orUnavailable(money.readUse(userId, dayBeforeUs(clock.nowUs())));
      return work({ userId, admits: (totalCents) => exceededSourceLimit(use, totalCents, limits) === null });
    });
  }
}

function cannotCheck(): SettleError {
  return new SettleError(
    'service_unavailable',
    'Whether this is within the limits of today cannot be checked now, so nothing was begun. Send it again.',
  );
}
