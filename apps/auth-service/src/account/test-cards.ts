import { createHash, randomUUID } from 'node:crypto';
import { DECLINED_TEST_CARD, SettleError, type AddFunds, type FundingSource } from '@settle/contracts';

const FIRST_BALANCE_CENTS = 100_00;

/** What the id of the source begins with, by the number of the card; null: the card is declined when it is added. */
const TEST_NUMBERS: ReadonlyMap<string, string | null> = new Map([
  ['4242424242424242', 'test-card'],
  ['4000000000000341', DECLINED_TEST_CARD],
  ['4000000000000002', null],
]);

/**
 * Takes a card of the development tools, of which only the id and the last digits are kept. Errors: `invalid_request`
 * for any other number; `not_permitted` when it is declined.
 */
export function takeTestCard(digits: string): FundingSource {
  const prefix = TEST_NUMBERS.get(digits);
  if (prefix === undefined) {
    throw new SettleError('invalid_request', 'This is no test number. Never type a real one here.');
  }
  if (prefix === null) throw new SettleError('not_permitted', 'The card was declined. Try another one.');
  return { id: `${prefix}-${randomUUID()}`, lastFour: digits.slice(-4) };
}

/** The command that puts test money into somebody's wallet: the same at every card, so that it comes once. */
export function firstBalance(userId: string): AddFunds {
  const hex = createHash('sha256').update(`first balance of ${userId}`).digest('hex');
  // UUID of version 8 (RFC 9562 5.8), made of a name.
  const commandId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return { commandId, userId, amountCents: FIRST_BALANCE_CENTS };
}
