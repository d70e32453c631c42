import { SettleError, type UserRecord } from '@settle/contracts';
import { orUnavailable } from '../storage/database-unavailable.js';
import type { UserReplica } from '../user-replica/user-replica.js';

/** Checks which users' money this instance may move now. */
export class FundingUsers {
  /** @param owns whether this instance owns the user's wallet */
  constructor(
    private readonly users: UserReplica,
    private readonly owns: (userId: string) => boolean,
  ) {}

  /** Errors: `account_frozen`, `resource_not_found`, `service_unavailable`. */
  async findActive(userId: string): Promise<UserRecord> {
    const user = await orUnavailable(this.users.findUser(userId));
    if (user === null) throw new SettleError('resource_not_found', 'There is no such user.');
    if (user.isFrozen) throw new SettleError('account_frozen', 'Your account is frozen. Ask support to lift it.');
    return user;
  }

  /** Error: `service_unavailable` if another instance has become the owner: it alone knows what counts for limits. */
  refuseUnlessOwned(userId: string): void {
    if (this.owns(userId)) return;
    throw new SettleError(
      'service_unavailable',
      'Another instance has taken over, and nothing was begun. Send it again.',
    );
  }
}
