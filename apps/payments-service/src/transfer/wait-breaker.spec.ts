import { NO_TIMEOUTS, afterWait, mayWait, type WaitBreaker } from './wait-breaker.js';

/** The breaker after waits at these times in ms, each of which ended in a timeout (`true`) or with an answer. */
const after = (...waits: readonly (readonly [boolean, number])[]): WaitBreaker =>
  waits.reduce((breaker, [isTimeout, nowMs]) => afterWait(breaker, isTimeout, nowMs), NO_TIMEOUTS);

const fourTimeouts = [1, 2, 3, 4].map((nowMs) => [true, nowMs] as const);

describe('waiting for the provider', () => {
  it('given four timeouts in a row, when the next command comes, then it waits', () => {
    expect(mayWait(after(...fourTimeouts), 4)).toBe(true);
  });

  it('given five timeouts in a row, when commands come, then none waits for ten seconds', () => {
    const breaker = after(...fourTimeouts, [true, 5]);
    expect([5, 10_004, 10_005].map((nowMs) => mayWait(breaker, nowMs))).toEqual([false, false, true]);
  });

  it('given an answer between timeouts, when fewer than five follow it, then commands wait', () => {
    expect(mayWait(after(...fourTimeouts, [false, 5], ...fourTimeouts), 6)).toBe(true);
  });

  it('given a pause after five timeouts, when the first wait after it times out, then another pause follows', () => {
    const breaker = after(...fourTimeouts, [true, 5], [true, 20_000]);
    expect([20_001, 30_000].map((nowMs) => mayWait(breaker, nowMs))).toEqual([false, true]);
  });

  it('given a pause after five timeouts, when an answer comes in time, then commands wait again', () => {
    expect(mayWait(after(...fourTimeouts, [true, 5], [false, 6]), 7)).toBe(true);
  });
});
