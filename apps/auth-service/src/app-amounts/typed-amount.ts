import { moneyAsCents } from '@settle/config';
import { MAX_AMOUNT_PER_DAY_CENTS, SettleError } from '@settle/contracts';

/** Longer than any amount that is taken. */
export const LONGEST_AMOUNT = 40;

/**
 * Returns the amount a day that was typed, in cents; null where nothing was: no limit.
 * Error: `invalid_request` for what is no positive amount in dollars with at most two decimals.
 */
export function readAmountPerDay(typed: string): number | null {
  const text = typed.trim().replace(/^\$/, '');
  if (text === '') return null;
  const cents = moneyAsCents(text);
  if (cents !== undefined && cents <= MAX_AMOUNT_PER_DAY_CENTS) return cents;
  const most = shownAmountPerDay(MAX_AMOUNT_PER_DAY_CENTS);
  const message = `Type the amount a day in dollars, such as 20 or 12.50: more than 0, at most two decimals, at most ${most}. Leave it empty for no limit.`;
  throw new SettleError('invalid_request', message);
}

/** Returns an amount a day as it stands in its field; empty: no limit. */
export function shownAmountPerDay(amountPerDayCents: number | null): string {
  return amountPerDayCents === null ? '' : (amountPerDayCents / 100).toFixed(2);
}
