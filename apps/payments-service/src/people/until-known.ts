import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { SettleError, idsOfUsersStateKey, type UsersKnown } from '@settle/contracts';
import type { KnownPeople } from './known-people.js';

const { usersKnownWaitMs, usersKnownPollMs } = LIMITS.payments;

/**
 * Resolves with the version of a record once whoever asks `people` about it is given that version or a later one.
 * Error: `outcome_unknown` when that takes longer than 2 s.
 */
export async function untilKnown(people: KnownPeople, { key, version }: UsersKnown): Promise<number> {
  const deadlineMs = performance.now() + usersKnownWaitMs;
  for (;;) {
    const known = await knownVersion(people, key);
    if (known >= version) return known;
    if (performance.now() >= deadlineMs) {
      throw new SettleError('outcome_unknown', 'The change is not known to payments yet and takes effect shortly.');
    }
    await pause(usersKnownPollMs);
  }
}

/** 0 of somebody, or of two people, of whom nothing is known. */
async function knownVersion(people: KnownPeople, key: string): Promise<number> {
  const [userId = '', otherId] = idsOfUsersStateKey(key) ?? [];
  if (otherId === undefined) return (await people.user(userId))?.version ?? 0;
  // From both sides: in memory what they are to each other may be kept under either.
  const sides = await Promise.all([people.two(userId, otherId), people.two(otherId, userId)]);
  return Math.min(...sides.map(({ pair }) => pair?.version ?? 0));
}
