import { jest } from '@jest/globals';
import { retry, type RetryOptions } from './retry.js';

const PAUSES = { minPauseMs: 100, maxPauseMs: 300 };

/** Runs work that fails `failures` times. Returns the times of its attempts in ms, and what was retried and returned. */
async function run(failures: number, options: Partial<RetryOptions> = {}) {
  const startMs = performance.now();
  const attemptsAtMs: number[] = [];
  const failed: unknown[] = [];
  const work = (attempt: number) => {
    attemptsAtMs.push(performance.now() - startMs);
    return attempt <= failures ? Promise.reject(new Error(`failure ${attempt}`)) : Promise.resolve('success');
  };
  const onError = (error: unknown, attempt: number) => failed.push([(error as Error).message, attempt]);
  const outcome = retry(work, { ...PAUSES, onError, ...options }).catch((error: unknown) => (error as Error).message);
  await jest.advanceTimersByTimeAsync(5_000);
  return { outcome: await outcome, attemptsAtMs, failed };
}

describe('retry', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(1);
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('given four failures, when retried, then it succeeds, and the pauses double up to the longest', async () => {
    const { outcome, attemptsAtMs, failed } = await run(4);
    expect([outcome, attemptsAtMs]).toEqual(['success', [0, 100, 300, 600, 900]]);
    expect(failed).toHaveLength(4);
  });

  it('given a bound of attempts, when all fail, then it rejects with the last error and reports each', async () => {
    const { outcome, failed } = await run(9, { attempts: 2 });
    const reported = [
      ['failure 1', 1],
      ['failure 2', 2],
    ];
    expect([outcome, failed]).toEqual(['failure 2', reported]);
  });

  it('given a deadline, when a further attempt would start after it, then it rejects at once', async () => {
    const { outcome, attemptsAtMs } = await run(9, { giveUpAtMs: performance.now() + 300 });
    expect([outcome, attemptsAtMs]).toEqual(['failure 2', [0, 100]]);
  });

  it('given an error that no retry can fix, when the work fails, then it rejects at once', async () => {
    const isRetryable = (error: unknown) => (error as Error).message !== 'failure 2';
    const { outcome, attemptsAtMs } = await run(9, { isRetryable });
    expect([outcome, attemptsAtMs]).toEqual(['failure 2', [0, 100]]);
  });

  it('given a pause, when the signal aborts, then it rejects with the last error', async () => {
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(), 250);
    const { outcome, attemptsAtMs } = await run(9, { signal: stopping.signal });
    expect([outcome, attemptsAtMs]).toEqual(['failure 2', [0, 100]]);
  });

  it('given an aborted signal, when called, then it rejects with its reason and does not begin', async () => {
    const { outcome, attemptsAtMs } = await run(0, { signal: AbortSignal.abort(new Error('stopped')) });
    expect([outcome, attemptsAtMs]).toEqual(['stopped', []]);
  });
});
