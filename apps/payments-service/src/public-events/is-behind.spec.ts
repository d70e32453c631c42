import { LIMITS } from '@settle/config';
import type { StoredEvent } from '@settle/event-store';
import { isBehind } from './is-behind.js';

const NOW_US = 1_790_000_000_000_000;
const BEHIND_US = LIMITS.publishing.behindAfterMs * 1_000;
const eventOf = (ageUs: number) => ({ data: { atUs: NOW_US - ageUs } }) as unknown as StoredEvent;

describe('isBehind', () => {
  it.each([
    ['no events', [], false],
    ['an event of now', [0], false],
    ['an old event and one of now', [BEHIND_US, 0], false],
    ['old events only', [2 * BEHIND_US, BEHIND_US], true],
    ['an event of a clock that is ahead', [-BEHIND_US], false],
  ])('given %s, when it is asked, then the newest one decides', (_, agesUs, expected) => {
    expect(isBehind(agesUs.map(eventOf), NOW_US)).toBe(expected);
  });
});
