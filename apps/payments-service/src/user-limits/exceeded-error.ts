import { LIMITS, type UserLimits } from '@settle/config';
import { SettleError, formatDollars } from '@settle/contracts';
import type { Use } from './user-activity.js';

const { limitRetrySeconds } = LIMITS.payments;

/** Whether an error says that a command exceeds a limit of its user. */
export function isAboveLimit(error: unknown): boolean {
  return error instanceof SettleError && (error.code === 'rate_limited' || error.code === 'not_permitted');
}

/** A charge exceeds the amount per day that its payer lets settle without approval: it needs an approval. */
export class AboveTrust extends Error {}

/** Returns the error of a use that exceeds its limit: `rate_limited`, `not_permitted` for an app's, or `AboveTrust`. */
export function exceededError({ counter, limit }: Use, limits: UserLimits): SettleError | AboveTrust {
  if (typeof limit === 'string') return rateLimited(limit, limits);
  if (counter.startsWith('payer:')) {
    return new AboveTrust('The charge exceeds what the payer lets settle unasked in a day.');
  }
  const message =
    `This app may move at most ${formatDollars(limit ?? 0)} out of this wallet within 24 hours, and this ` +
    'payment exceeds that. Send it again later, or have the user raise the amount under Connected apps (/account/apps).';
  return new SettleError('not_permitted', message);
}

/** @param freeInUs time until the limit admits one more, if known */
export function rateLimited(exceeded: keyof UserLimits, limits: UserLimits, freeInUs?: number): SettleError {
  const retryAfterSeconds = freeInUs === undefined ? limitRetrySeconds : Math.max(1, Math.ceil(freeInUs / 1_000_000));
  return new SettleError('rate_limited', messageOf(exceeded, limits), { retryAfterSeconds });
}

function messageOf(exceeded: keyof UserLimits, limits: UserLimits): string {
  switch (exceeded) {
    case 'pendingPerPair':
      return `You have ${limits.pendingPerPair} pending charges to this user. Wait until one is answered, or cancel one.`;
    case 'pendingPerUser':
      return `You have ${limits.pendingPerUser} pending charges. Wait until one is answered, or cancel one.`;
    case 'newPayeesPerDay':
      return `You paid or charged ${limits.newPayeesPerDay} new users and addresses within 24 hours. Send this one again later.`;
    case 'amountPerDayCents':
      return `This payment exceeds the ${formatDollars(limits.amountPerDayCents ?? 0)} that you may pay within 24 hours. Send it again later.`;
  }
}
