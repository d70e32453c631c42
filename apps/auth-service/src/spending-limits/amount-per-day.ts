import { moneyAsCents } from '@settle/config';
import { MAX_AMOUNT_PER_DAY_CENTS, SettleError } from '@settle/contracts';

/** The maximum length of the form field. Every valid amount is shorter. */
export const MAX_AMOUNT_LENGTH = 40;

/**
 * Returns the entered amount per day in cents, or null (no limit) for an empty field. Throws `invalid_request` unless
 * the text is a positive amount in dollars with at most two decimals.
 */
export function parseAmountPerDay(input: string): number | null {
  const text = input.trim().replace(/^\$/, '');
  if (text === '') return null;
  const cents = moneyAsCents(text);
  if (cents !== undefined && cents <= MAX_AMOUNT_PER_DAY_CENTS) return cents;
  const maximum = formatAmountPerDay(MAX_AMOUNT_PER_DAY_CENTS);
  const message = `Enter a daily limit in dollars, such as 20 or 12.50: more than 0, at most ${maximum}, with at most two decimals. Leave it empty for no limit.`;
  throw new SettleError('invalid_request', message);
}

/** Returns an amount per day in dollars for its form field. An empty string means no limit. */
export function formatAmountPerDay(amountPerDayCents: number | null): string {
  return amountPerDayCents === null ? '' : (amountPerDayCents / 100).toFixed(2);
}
