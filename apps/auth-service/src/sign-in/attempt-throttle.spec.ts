import { computeWaitMs } from './attempt-throttle.js';

const BACKOFF = { freeAttempts: 10, firstWaitMs: 1_000, maxWaitMs: 30_000 };

describe('computeWaitMs', () => {
  it('given a growing number of attempts, when the wait is computed, then it doubles up to its maximum', () => {
    const waits = [9, 10, 11, 12, 13, 14, 15, 400].map((failed) =>
      computeWaitMs({ attempts: failed, idleMs: 0 }, BACKOFF),
    );
    expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('given time since the last attempt, when the wait is computed, then that time is subtracted', () => {
    expect(computeWaitMs({ attempts: 10, idleMs: 400 }, BACKOFF)).toBe(600);
    expect(computeWaitMs({ attempts: 10, idleMs: 1_000 }, BACKOFF)).toBe(0);
  });

  it('given a quarter of an hour without attempts, when the wait is computed, then it is 0', () => {
    expect(computeWaitMs({ attempts: 12, idleMs: 15 * 60_000 }, BACKOFF)).toBe(0);
  });
});
