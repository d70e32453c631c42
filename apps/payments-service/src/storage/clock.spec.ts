import fc from 'fast-check';
import { Clock } from './clock.js';

describe('Clock', () => {
  // Shows payment-14
  it('given any course of the machine’s clock, when it is asked, then each time is later than the one before', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1 }), (shown) => {
        const left = [...shown];
        const clock = new Clock(() => 1_700_000_000_000 + (left.shift() ?? 0));
        const times = shown.map(() => clock.nowUs());
        for (const [index, time] of times.entries()) {
          expect(time).toBeGreaterThan(times[index - 1] ?? 0);
          expect(time).toBeGreaterThanOrEqual((1_700_000_000_000 + (shown[index] ?? 0)) * 1_000);
        }
      }),
    );
  });

  it('given a machine’s clock that goes back an hour, when time passes, then it passes at half its speed until that clock has caught up', () => {
    const START_MS = 1_700_000_000_000;
    const HOUR_MS = 3_600_000;
    let elapsedMs = 0;
    let behindMs = 0;
    const clock = new Clock(
      () => START_MS + elapsedMs - behindMs,
      () => elapsedMs,
    );
    const passedMs = () => clock.nowUs() / 1_000 - START_MS;
    const passedAt = (ms: number) => {
      elapsedMs = ms;
      return Math.round(passedMs());
    };
    expect(passedAt(0)).toBe(0);
    behindMs = HOUR_MS;
    expect(passedAt(0)).toBe(0);
    expect([2_000, 10_000, HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS].map(passedAt)).toEqual([
      1_000,
      5_000,
      HOUR_MS / 2,
      HOUR_MS,
      2 * HOUR_MS,
    ]);
  });
});
