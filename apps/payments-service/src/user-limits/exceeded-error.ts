import { LIMITS, type UserLimits } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { formatCents } from '@settle/payments-domain';
import type { Allowance, ExceededLimit } from './user-activity.js';

const { limitRetrySeconds } = LIMITS.payments;

/** Whether an error says that a command exceeds a limit of its user. */
export function isAboveLimit(error: unknown): boolean {
  return error instanceof SettleError && (error.code === 'rate_limited' || error.code === 'not_permitted');
}

/** A charge exceeds the amount per day that its payer lets settle without approval: it needs an approval. */
export class AboveTrust extends Error {}

/** Returns the error for an exceeded allowance: `AboveTrust`, or `not_permitted` for an app's. */
export function aboveAllowance({ key, amountPerDayCents }: Allowance): SettleError | AboveTrust {
  if (key.startsWith('payer:'))
    return new AboveTrust('The charge exceeds what the payer lets settle unasked in a day.');
  const message =
    `This app may move at most ${formatCents(amountPerDayCents ?? 0)} out of this wallet within 24 hours, and this ` +
    'payment exceeds that. Send it again later, or have the user raise the amount under Connected apps (/account/apps).';
  return new SettleError('not_permitted', message);
}

/**
 * Returns the `rate_limited` error of a demand that exceeds a limit.
 * @param freeInUs time until the limit admits one more, if known
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
