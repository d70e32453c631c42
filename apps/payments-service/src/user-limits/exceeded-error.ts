import { LIMITS, type UserLimits } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { formatCents } from '@settle/payments-domain';
import type { ExceededLimit } from './user-activity.js';

const { limitRetrySeconds } = LIMITS.payments;

/**
 * Returns the `rate_limited` error of a demand that exceeds a limit.
 * @param freeInUs when the limit admits one more, if that is known
 */
export function exceededError(exceeded: ExceededLimit, limits: UserLimits, freeInUs?: number): SettleError {
  const retryAfterSeconds = freeInUs === undefined ? limitRetrySeconds : Math.max(1, Math.ceil(freeInUs / 1_000_000));
  return new SettleError('rate_limited', messageOf(exceeded, limits), { retryAfterSeconds });
}

function messageOf(exceeded: ExceededLimit, limits: UserLimits): string {
  switch (exceeded) {
    case 'pendingPerPair':
      return `You have ${limits.pendingPerPair} pending charges to this user. Wait until one is answered, or cancel one.`;
    case 'pendingPerUser':
      return `You have ${limits.pendingPerUser} pending charges. Wait until one is answered, or cancel one.`;
    case 'newPayeesPerDay':
      return `You paid or charged ${limits.newPayeesPerDay} new users and addresses within 24 hours. Send this one again later.`;
    case 'amountPerDayCents':
      return `This payment exceeds the ${formatCents(limits.amountPerDayCents ?? 0)} that you may pay within 24 hours. Send it again later.`;
  }
}
