import { jest } from '@jest/globals';
import { sleep } from './sleep.js';
import { pollUntil, settlesWithin, withTimeout } from './time-limits.js';

const createError = () => new RangeError('too late');
const fail = (ms: number) => sleep(ms).then(() => Promise.reject(new Error('failed')));

describe('time limits', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('given work that takes too long, when it has a timeout, then that error is thrown, and no timer is left', async () => {
    const late = withTimeout(fail(200), 100, createError);
    const outcome = expect(late).rejects.toThrow('too late');
    await jest.advanceTimersByTimeAsync(200);
    await outcome;
    expect(jest.getTimerCount()).toBe(0);
  });

  it('given work that ends in time, when it has a timeout, then its result or error is kept, and no timer is left', async () => {
    await expect(withTimeout(Promise.resolve(7), 100, createError)).resolves.toBe(7);
    await expect(withTimeout(Promise.reject(new Error('failed')), 100, createError)).rejects.toThrow('failed');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('given work, when waited for, then it is reported whether it ended in time, with success or not', async () => {
    const outcomes = Promise.all([
      settlesWithin(sleep(50), 100),
      settlesWithin(fail(50), 100),
      settlesWithin(sleep(150), 100),
    ]);
    await jest.advanceTimersByTimeAsync(150);
    expect(await outcomes).toEqual([true, true, false]);
  });

  it('given a condition, when polled, then it ends when it is true or after the timeout, with a last check', async () => {
    const options = { everyMs: 40, timeoutMs: 100 };
    const startMs = performance.now();
    const checksAtMs: number[] = [];
    const early = pollUntil(() => Promise.resolve(performance.now() - startMs >= 80), options);
    const late = pollUntil(() => {
      checksAtMs.push(performance.now() - startMs);
      return Promise.resolve(false);
    }, options);
    await jest.advanceTimersByTimeAsync(200);
    expect([await early, await late, checksAtMs]).toEqual([true, false, [0, 40, 80, 100]]);
  });

  it('given a sleep, when its signal aborts, then it ends at once, and no timer is left', async () => {
    const stopping = new AbortController();
    const sleeping = sleep(1_000, stopping.signal);
    stopping.abort();
    await sleeping;
    await sleep(1_000, stopping.signal);
    expect(jest.getTimerCount()).toBe(0);
  });
});
