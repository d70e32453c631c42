import { normalizeAddress } from './addresses.js';
import { idTimeMs } from './ids.js';
import type { PaymentTarget } from './payments.commands.js';
import type { UserCard } from './users-state.js';

/** The user with whom apps test payments: exists only in the sandbox, with the outcomes of a table and without a wallet. */
export const SANDBOX_TEST_USER = {
  id: '145434160922624933',
  email: 'venmo@venmo.com',
  phone: '+15555555555',
} as const;

/** How the test user is shown. @param publicUrl the public address, which the picture is below */
export function sandboxTestUserCard(publicUrl: string): UserCard {
  return {
    id: SANDBOX_TEST_USER.id,
    username: 'sandbox-test-user',
    firstName: 'Test',
    lastName: 'User',
    displayName: 'Test User',
    about: 'Pay me 0.10, 0.20 or 0.30, or charge me 0.10 or 0.20.',
    profilePictureUrl: `${publicUrl}/pictures/TU.svg`,
    dateJoinedUs: idTimeMs(SANDBOX_TEST_USER.id) * 1_000,
  };
}

/** Whether a payment of the sandbox is to the test user, however named. */
export function isSandboxTestUser({ type, value }: PaymentTarget): boolean {
  if (type === 'user') return value === SANDBOX_TEST_USER.id;
  return normalizeAddress(type, value) === SANDBOX_TEST_USER[type];
}
