import type { UserRecord, UserStatus } from '@settle/contracts';

/** Returns the status of a user in the ledger, from which the events of `users.lifecycle.v1` follow. */
export function userStatusOf({ isFrozen, isClosed }: Pick<UserRecord, 'isFrozen' | 'isClosed'>): UserStatus {
  if (isClosed === true) return 'closed';
  return isFrozen ? 'frozen' : 'active';
}
