import { noSuchUser, type UsersKnown } from '@settle/contracts';
import type { EntityManager } from 'typeorm';
import { announceUsers, updatePair } from '../announcements/announcements.js';
import { readRecordEpoch } from '../announcements/record-epoch.js';
import { FriendRequest } from '../storage/friend-request.entity.js';
import { NO_TRUST, Pair } from '../storage/pair.entity.js';
import { User } from '../storage/user.entity.js';
import { VerifiedAddressRow } from '../storage/verified-address.entity.js';

const NO_RELATION = { areFriends: false, ...NO_TRUST, lowBlocksHigh: false, highBlocksLow: false } as const;

/** The profile of a closed user. No one can sign up with a username that has a colon. */
const erasedProfile = (userId: string) =>
  ({
    username: `closed:${userId}`,
    firstName: 'Closed',
    lastName: 'account',
    displayName: 'Closed account',
    about: '',
    pictureUrl: null,
    email: null,
    emailNormalized: null,
    phone: null,
    defaultAudience: 'private',
    isBusiness: false,
    legacyAccess: false,
    verified: false,
    isFrozen: true,
    fundingSourceId: null,
    fundingSourceLastFour: null,
  }) satisfies Partial<User>;

/**
 * Closes an account: erases the profile and the addresses, ends every relation, and publishes the records that say so. A
 * repetition changes nothing. Returns the version of the record. Error: `resource_not_found`.
 * @param closedAtUs microseconds since 1970
 */
export function closeUser(
  manager: EntityManager,
  userId: string,
  publicUrl: string,
  closedAtUs: number,
): Promise<UsersKnown> {
  return manager.transaction(async (transaction) => {
    const user = await transaction.findOne(User, { where: { id: userId }, lock: { mode: 'for_no_key_update' } });
    if (user === null) throw noSuchUser();
    const known = { key: `user:${userId}`, epoch: await readRecordEpoch(transaction) };
    if (user.closedAtUs !== null) return { ...known, version: user.version };
    await transaction.delete(VerifiedAddressRow, { userId });
    await transaction.delete(FriendRequest, [{ fromId: userId }, { toId: userId }]);
    await endRelations(transaction, userId);
    const closed = { ...erasedProfile(userId), closedAtUs, version: user.version + 1 };
    await transaction.update(User, userId, closed);
    await announceUsers(transaction, [{ ...user, ...closed }], publicUrl);
    return { ...known, version: closed.version };
  });
}

async function endRelations(manager: EntityManager, userId: string): Promise<void> {
  const pairs = await manager.find(Pair, {
    where: [{ low: userId }, { high: userId }],
    order: { low: 'ASC', high: 'ASC' },
    lock: { mode: 'for_no_key_update' },
  });
  for (const pair of pairs) await updatePair(manager, pair, NO_RELATION);
}
