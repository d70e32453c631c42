import { jest } from '@jest/globals';
import { LIMITS } from '@settle/config';
import { keepRunning } from './keep-running.js';

const { restartPauseMinMs, restartPauseMaxMs, soundAfterMs } = LIMITS.stack;

/** Runs a process that ends after each of these times, and returns the pauses before it is started again. */
async function pausesBetween(livesMs: readonly number[], startsInMs = 0): Promise<readonly number[]> {
  const stop = new AbortController();
  const pauses: number[] = [];
  const left = [...livesMs];
  const run = () => new Promise<string>((resolve) => setTimeout(() => resolve('exit code 1'), left.shift()));
  const start = async () => {
    await new Promise((resolve) => setTimeout(resolve, startsInMs));
    return { ended: run() };
  };
  const onEnd = (_how: string, pauseMs: number) => {
    pauses.push(pauseMs);
    if (left.length === 0) stop.abort();
  };
  const kept = keepRunning(run(), { start, signal: stop.signal, onEnd });
  await jest.runAllTimersAsync();
  await kept;
  return pauses;
}

describe('keepRunning', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(1);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('given a process that ends again and again, when it is started again, then the pause doubles up to its bound', async () => {
    const pauses = await pausesBetween(Array.from({ length: 10 }, () => 10));
    expect(pauses.slice(0, 3)).toEqual([restartPauseMinMs, 2 * restartPauseMinMs, 4 * restartPauseMinMs]);
    expect(pauses.at(-1)).toBe(restartPauseMaxMs);
  });

  it('given a process that has run for long enough, when it ends, then the pause is the first again', async () => {
    const pauses = await pausesBetween([10, 10, 10, 10, 10, soundAfterMs]);
    expect(pauses.at(-1)).toBe(restartPauseMinMs);
  });

  it('given a process that takes long to start and ends soon, when it is started again, then the pause doubles', async () => {
    const pauses = await pausesBetween([10, 10, 10], soundAfterMs);
    expect(pauses).toEqual([restartPauseMinMs, 2 * restartPauseMinMs, 4 * restartPauseMinMs]);
  });

  it('given a process that was stopped, when it ends, then it is not started again', async () => {
    const stop = new AbortController();
    const start = jest.fn(() => Promise.resolve({ ended: Promise.resolve('exit code 0') }));
    const onEnd = jest.fn();
    stop.abort();
    await keepRunning(Promise.resolve('SIGTERM'), { start, signal: stop.signal, onEnd });
    expect([start, onEnd].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });
});
