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
});
