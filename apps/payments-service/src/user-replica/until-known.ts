import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { SettleError, idsOfUsersStateKey, isOlderRecord, type RecordOrder, type UsersKnown } from '@settle/contracts';
import type { KnownPeople } from './known-people.js';

const { usersKnownWaitMs, usersKnownPollMs } = LIMITS.payments;

const UNKNOWN: RecordOrder = { version: 0 };

/**
 * Resolves with the version of a record once whoever asks `people` about it is given that record or a later one.
 * Error: `outcome_unknown` when that takes longer than 2 s.
 */
export async function untilKnown(people: KnownPeople, asked: UsersKnown): Promise<number> {
  const deadlineMs = performance.now() + usersKnownWaitMs;
  for (;;) {
    const known = await knownRecord(people, asked.key);
    if (!isOlderRecord(known, asked)) return known.version;
    if (performance.now() >= deadlineMs) {
      throw new SettleError('outcome_unknown', 'The change is not known to payments yet and takes effect shortly.');
    }
    await pause(usersKnownPollMs);
  }
}

async function knownRecord(people: KnownPeople, key: string): Promise<RecordOrder> {
  const [userId = '', otherId] = idsOfUsersStateKey(key) ?? [];
  if (otherId === undefined) return (await people.user(userId)) ?? UNKNOWN;
  // From both sides: in memory what they are to each other may be kept under either.
  const [one, other] = await Promise.all([people.two(userId, otherId), people.two(otherId, userId)]);
  const [ofOne, ofOther] = [one.pair ?? UNKNOWN, other.pair ?? UNKNOWN];
  return isOlderRecord(ofOne, ofOther) ? ofOne : ofOther;
}
