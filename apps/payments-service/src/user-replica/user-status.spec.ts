import { userStatusOf } from './user-status.js';

describe('the status of a user in the ledger', () => {
  it.each([
    ['active', { isFrozen: false }],
    ['frozen', { isFrozen: true }],
    // Closing freezes first.
    ['closed', { isFrozen: true, isClosed: true }],
  ] as const)('given an account that is %s, when its record arrives, then that is the status', (status, record) => {
    expect(userStatusOf(record)).toBe(status);
  });
});
