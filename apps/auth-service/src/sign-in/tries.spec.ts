import { waitMsAfter } from './tries.js';

const PATIENCE = { freeTries: 10, firstWaitMs: 1_000, longestWaitMs: 30_000 };

describe('the wait after failed tries', () => {
  it('given more and more of them, then it doubles, and never grows over its bound', () => {
    const waits = [9, 10, 11, 12, 13, 14, 15, 400].map((failed) => waitMsAfter({ made: failed, quietMs: 0 }, PATIENCE));
    expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('given time that has passed since, then it counts', () => {
    expect(waitMsAfter({ made: 10, quietMs: 400 }, PATIENCE)).toBe(600);
    expect(waitMsAfter({ made: 10, quietMs: 1_000 }, PATIENCE)).toBe(0);
  });

  it('given a quarter of an hour, then they are forgotten', () => {
    expect(waitMsAfter({ made: 12, quietMs: 15 * 60_000 }, PATIENCE)).toBe(0);
  });
});
