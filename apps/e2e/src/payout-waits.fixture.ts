import { withDatabase } from './running-stack.fixture.js';

const DAY_US = 86_400_000_000;

/**
 * Lets a user withdraw at once after a new e-mail address and a new source. No setting shortens these waits, so that the
 * spec moves back the times from which they count.
 */
export async function movePayoutWaitsBack(userId: string): Promise<void> {
  await moveAddressesBack(userId);
  await moveSourceBack(userId);
}

/** Ends the wait after a new e-mail address alone. */
export async function moveAddressesBack(userId: string): Promise<void> {
  const update = 'update login_addresses set proven_at_us = proven_at_us - $1::bigint where user_id = $2';
  await withDatabase('auth', (client) => client.query(update, [DAY_US, userId]));
}

/** Ends the wait after a new source alone. */
export async function moveSourceBack(userId: string): Promise<void> {
  const update =
    'update funding_sources set for_payouts_since_us = for_payouts_since_us - $1::bigint where user_id = $2';
  await withDatabase('payments', (client) => client.query(update, [DAY_US, userId]));
}
