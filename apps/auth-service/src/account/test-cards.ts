import { createHash, randomUUID } from 'node:crypto';
import { DECLINED_TEST_CARD, SettleError, type AddFunds, type FundingSource } from '@settle/contracts';

const TEST_FUNDING_CENTS = 100_00;

/** The prefix of the funding source id by card number; null if the card is declined when it is added. */
const SOURCE_ID_PREFIXES: ReadonlyMap<string, string | null> = new Map([
  ['4242424242424242', 'test-card'],
  ['4000000000000341', DECLINED_TEST_CARD],
  ['4000000000000002', null],
]);

/**
 * Returns the funding source of a test card, which keeps only the last four digits. Throws `invalid_request` for any
 * other number and `not_permitted` if the card is declined.
 */
export function tokenizeTestCard(digits: string): FundingSource {
  const prefix = SOURCE_ID_PREFIXES.get(digits);
  if (prefix === undefined) {
    throw new SettleError('invalid_request', 'This is not a test number. Never enter a real card number here.');
  }
  if (prefix === null) throw new SettleError('not_permitted', 'The card was declined. Use a different one.');
  return { id: `${prefix}-${randomUUID()}`, lastFour: digits.slice(-4) };
}

/** Returns the command that adds test money to a wallet. Its id depends only on the user, so the money arrives once. */
export function buildTestFunding(userId: string): AddFunds {
  const hex = createHash('sha256').update(`first balance of ${userId}`).digest('hex');
  // A name-based UUID of version 8 (RFC 9562 5.8).
  const commandId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return { commandId, userId, amountCents: TEST_FUNDING_CENTS };
}
