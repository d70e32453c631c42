import { moneyAsCents } from '@settle/config';
import { MAX_FUNDING_CENTS, SettleError } from '@settle/contracts';

/**
 * Returns the entered amount in cents. Throws `invalid_request` unless the text is a positive amount in dollars with at
 * most two decimals.
 */
export function parseFundingAmount(input: string): number {
  const cents = moneyAsCents(input.trim().replace(/^\$/, ''));
  if (cents !== undefined && cents <= MAX_FUNDING_CENTS) return cents;
  throw new SettleError(
    'invalid_request',
    'Enter an amount in dollars, such as 20 or 12.50: more than 0, with at most two decimals and no separators.',
  );
}
