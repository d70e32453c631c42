import fc from 'fast-check';
import { LIMITS } from '@settle/config';
import { RateLimiter } from './rate-limiter.js';

/** A limiter on a clock that the spec moves. */
function limiterAt(startMs: number, perSecond: number, burst: number) {
  const clock = { nowMs: startMs };
  const limiter = new RateLimiter({ perSecond, burst }, () => clock.nowMs);
  const allowed = (caller: string, requests: number): number =>
    Array.from({ length: requests }, () => limiter.take(caller)).filter(({ waitMs }) => waitMs === 0).length;
  return { clock, limiter, allowed };
}

describe('RateLimiter', () => {
  it.each([
    [100, 500],
    [300, 2_000],
    [7, 3],
    [1, 1],
  ])('given %i a second and a burst of %i, when all come at once, then the burst passes', (perSecond, burst) => {
    for (const startMs of [0, 0.1, 123_456_789.123]) {
      const { clock, allowed } = limiterAt(startMs, perSecond, burst);
      expect(allowed('a', burst + 50)).toBe(burst);
      clock.nowMs += 1_000;
      expect(allowed('a', burst + 50)).toBe(Math.min(perSecond, burst));
      expect(allowed('b', burst + 50)).toBe(burst);
    }
  });

  it('given an empty bucket, when the reported wait is over, then a request passes, and not before', () => {
    const { clock, limiter, allowed } = limiterAt(5, 4, 2);
    expect(allowed('a', 3)).toBe(2);
    const { waitMs, remaining, fullInMs } = limiter.take('a');
    expect([waitMs, remaining, fullInMs]).toEqual([250, 0, 500]);
    clock.nowMs += waitMs - 10;
    expect(allowed('a', 1)).toBe(0);
    clock.nowMs += 10;
    expect(limiter.take('a')).toEqual({ waitMs: 0, remaining: 0, fullInMs: 500 });
  });

  it('given any course of requests, then each is judged as by a bucket that is counted in whole', () => {
    const bound = fc.integer({ min: 1, max: 50 });
    const pausesMs = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000 })), { maxLength: 200 });
    const callers = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 200, maxLength: 200 });
    fc.assert(
      fc.property(bound, bound, pausesMs, callers, (perSecond, burst, pauses, names) => {
        const { clock, limiter } = limiterAt(0, perSecond, burst);
        const model = new Map<string, { thousandths: number; atMs: number }>();
        pauses.forEach((pauseMs, index) => {
          clock.nowMs += pauseMs;
          const name = names[index] ?? '';
          const { thousandths, atMs } = model.get(name) ?? { thousandths: burst * 1_000, atMs: 0 };
          const held = Math.min(burst * 1_000, thousandths + (clock.nowMs - atMs) * perSecond);
          const { waitMs, remaining } = limiter.take(name);
          // The limiter forgives a thousandth of a request, the smallest part of one in the model: either answer is right.
          const isOnEdge = held % 1_000 === 999;
          const isAllowed = held === 999 ? waitMs === 0 : held >= 1_000;
          const left = isAllowed ? held - 1_000 : held;
          model.set(name, { thousandths: left, atMs: clock.nowMs });
          expect(waitMs === 0).toBe(isAllowed);
          if (isAllowed && !isOnEdge) expect(remaining).toBe(Math.floor(left / 1_000));
        });
      }),
    );
  });

  it('given more callers than are kept, when they go on, then memory is bounded and the newest stay counted', () => {
    const { allowed } = limiterAt(0, 1, 3);
    for (let caller = 0; caller < LIMITS.gateway.callersCounted * 2; caller++) allowed(String(caller), 1);
    const newest = LIMITS.gateway.callersCounted * 2 - 1;
    expect(allowed(String(newest), 5)).toBe(2);
    expect(allowed('0', 5)).toBe(3);
  });
});
