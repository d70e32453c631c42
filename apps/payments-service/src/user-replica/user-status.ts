import type { UserRecord, UserStatus } from '@settle/contracts';

/** Returns the status of a user in the ledger, from which the events of `users.lifecycle.v1` follow. */
export function userStatusOf({ isFrozen }: Pick<UserRecord, 'isFrozen'>): UserStatus {
  return isFrozen ? 'frozen' : 'active';
}
