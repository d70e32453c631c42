import { pollUntil } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError, idsOfUsersStateKey, isOlderRecord, type RecordOrder, type UsersKnown } from '@settle/contracts';
import type { UserReplica } from './user-replica.js';

const { usersKnownWaitMs, usersKnownPollMs } = LIMITS.payments;

const UNKNOWN: RecordOrder = { version: 0 };

/**
 * Waits until the replica returns a record or a later one, and returns its version. Error: `outcome_unknown` after 2 s.
 */
export async function awaitUserRecord(replica: UserReplica, expected: UsersKnown): Promise<number> {
  let known = UNKNOWN;
  const isKnown = async () => {
    known = await findRecord(replica, expected.key);
    return !isOlderRecord(known, expected);
  };
  if (await pollUntil(isKnown, { everyMs: usersKnownPollMs, timeoutMs: usersKnownWaitMs })) return known.version;
  throw new SettleError('outcome_unknown', 'The change has not reached payments yet and takes effect shortly.');
}

async function findRecord(replica: UserReplica, key: string): Promise<RecordOrder> {
  const [userId = '', otherId] = idsOfUsersStateKey(key) ?? [];
  if (otherId === undefined) return (await replica.findUser(userId)) ?? UNKNOWN;
  // From both sides: the cache may have the pair under either user.
  const [one, other] = await Promise.all([replica.findTwo(userId, otherId), replica.findTwo(otherId, userId)]);
  const [ofOne, ofOther] = [one.pair ?? UNKNOWN, other.pair ?? UNKNOWN];
  return isOlderRecord(ofOne, ofOther) ? ofOne : ofOther;
}
