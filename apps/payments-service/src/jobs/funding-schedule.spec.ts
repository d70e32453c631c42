import { nextAskUs } from './funding-schedule.js';

const US_PER_S = 1_000_000;
const INTENT_US = 1_800_000_000 * US_PER_S;
const call = { beginBeforeUs: INTENT_US + 30 * US_PER_S };

describe('asking the provider again', () => {
  it.each([
    [0, 2],
    [2, 10],
    [9, 10],
    [10, 60],
    [61, 300],
    [300, 3_600],
    [3_599, 3_600],
    [3_600, 7_200],
    [100_000, 100_800],
  ])(
    'given a call that was last made %i s after its intent, when it stays unanswered, then it is made again after %i s',
    (asked, next) => {
      expect(nextAskUs([call], INTENT_US + asked * US_PER_S)).toBe(INTENT_US + next * US_PER_S);
    },
  );

  it('given calls of different age, when they stay unanswered, then the earliest time counts', () => {
    const later = { beginBeforeUs: INTENT_US + 1_030 * US_PER_S };
    expect(nextAskUs([call, later], INTENT_US + 1_001 * US_PER_S)).toBe(INTENT_US + 1_002 * US_PER_S);
  });
});
