import { jest } from '@jest/globals';
import { PeriodicTask, type PeriodicTaskOptions, type RunOutcome } from './periodic-task.js';

describe('PeriodicTask', () => {
  let runsAtMs: number[];
  let errors: string[];
  let task: PeriodicTask;

  function start(outcomes: (RunOutcome | Error)[], options: Partial<PeriodicTaskOptions> = {}): void {
    const startMs = performance.now();
    const run = () => {
      runsAtMs.push(performance.now() - startMs);
      const outcome = outcomes.shift();
      return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
    };
    task = new PeriodicTask({
      run,
      everyMs: 100,
      onError: (error) => errors.push((error as Error).message),
      ...options,
    });
    task.start();
  }

  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(1);
    [runsAtMs, errors] = [[], []];
  });
  afterEach(async () => {
    await task.stop();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('given a task, when started, then it runs again after each pause until it is stopped', async () => {
    start([]);
    await jest.advanceTimersByTimeAsync(250);
    await task.stop();
    await jest.advanceTimersByTimeAsync(250);
    expect(runsAtMs).toEqual([0, 100, 200]);
  });

  it('given a delayed task, when started, then its first run follows a pause', async () => {
    start([], { isDelayed: true });
    await jest.advanceTimersByTimeAsync(250);
    expect(runsAtMs).toEqual([100, 200]);
  });

  it('given a run that asks for another one, when it ends, then that follows without a pause; a done task ends', async () => {
    start(['repeat', 'repeat', 'done']);
    await jest.advanceTimersByTimeAsync(250);
    expect(runsAtMs).toEqual([0, 0, 0]);
  });

  it('given a run that returns a number, when it ends, then the next one follows after as many ms', async () => {
    start([30, 40]);
    await jest.advanceTimersByTimeAsync(250);
    expect(runsAtMs).toEqual([0, 30, 70, 170]);
  });

  it('given runs that fail, when they end, then each is reported and the pauses grow until a run succeeds', async () => {
    const failure = new Error('failed');
    start([failure, failure, failure, undefined, failure], { retryMinMs: 10, retryMaxMs: 30 });
    await jest.advanceTimersByTimeAsync(175);
    expect([runsAtMs, errors.length]).toEqual([[0, 10, 30, 60, 160, 170], 4]);
  });

  it('given a pause, when the task is woken, then it runs at once; after a failure the pause is not shortened', async () => {
    start([undefined, new Error('failed')]);
    await jest.advanceTimersByTimeAsync(30);
    task.wake();
    await jest.advanceTimersByTimeAsync(10);
    task.wake();
    await jest.advanceTimersByTimeAsync(150);
    expect(runsAtMs).toEqual([0, 30, 130]);
  });

  it('given a run, when the task is woken during it, then another run follows at once', async () => {
    start([], { run: () => new Promise<void>((resolve) => setTimeout(resolve, 50)) });
    task.wake();
    await jest.advanceTimersByTimeAsync(60);
    expect(jest.getTimerCount()).toBe(1);
    await jest.advanceTimersByTimeAsync(50);
  });

  it('given a run, when the task is stopped, then the stop waits for it, and its failure is not reported', async () => {
    const run = (signal: AbortSignal) =>
      new Promise<void>((_, reject) =>
        signal.addEventListener('abort', () => setTimeout(reject, 50, new Error('aborted'))),
      );
    start([], { run });
    let isStopped = false;
    const stopped = task.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(40);
    expect(isStopped).toBe(false);
    await jest.advanceTimersByTimeAsync(10);
    await stopped;
    expect(errors).toEqual([]);
  });
});
