import type { UserStatus } from '@settle/contracts';
import { nextUserEvent, statusAfter, type UserEventType } from './user-lifecycle.js';

/** Returns the events that follow from a user's records, one after the other. */
function eventsOf(...records: readonly UserStatus[]): UserEventType[] {
  const events: UserEventType[] = [];
  for (const current of records) {
    for (let steps = 0; steps < 3; steps += 1) {
      const newest = events.at(-1);
      const next = nextUserEvent(newest === undefined ? null : statusAfter(newest), current);
      if (next !== null) events.push(next);
    }
  }
  return events;
}

describe('the lifecycle of a user', () => {
  it.each<[string, readonly UserStatus[], readonly UserEventType[]]>([
    ['joins', ['active'], ['UserJoined']],
    ['is known again', ['active', 'active'], ['UserJoined']],
    ['is frozen and thawed', ['active', 'frozen', 'active'], ['UserJoined', 'UserFrozen', 'UserThawed']],
    ['is frozen when first known', ['frozen'], ['UserJoined', 'UserFrozen']],
    ['is closed while frozen', ['frozen', 'closed'], ['UserJoined', 'UserFrozen', 'UserClosed']],
    ['is closed when first known', ['closed'], ['UserJoined', 'UserClosed']],
    ['has older records after the end', ['closed', 'active', 'frozen'], ['UserJoined', 'UserClosed']],
  ])('given a user who %s, when events follow, then each change has one', (_, records, expected) => {
    expect(eventsOf(...records)).toEqual(expected);
  });
});
