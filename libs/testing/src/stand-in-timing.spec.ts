import { TimedQueue, responseAtMs, serverDelayMs } from './stand-in-timing.js';

const ACTIONS = 100;

describe('the timing of the EventStoreDB stand-in', () => {
  it.each([
    [1, 0.9],
    [16, 4],
    [40, 6],
    [64, 8],
    [129, 18],
  ])(
    'given %d appends in flight, when one arrives, then its client has the response after %d ms',
    (inFlight, delayMs) => {
      expect(serverDelayMs(inFlight)).toBeCloseTo(delayMs);
    },
  );

  it('given many appends at once, when they are timed, then at most 6,500 a second get a response, in order', () => {
    let atMs = 0;
    for (let append = 1; append <= 6_500; append += 1) atMs = responseAtMs(0, 1, atMs);
    expect(atMs).toBeGreaterThanOrEqual(999);
  });

  it.each([0, 0.4, 3])('given an action that is due in %d ms, when it runs, then not before', async (inMs) => {
    const dueAtMs = performance.now() + inMs;
    const queue = new TimedQueue();
    const ranAtMs = await new Promise<number>((resolve) => queue.add(dueAtMs, () => resolve(performance.now())));
    expect(ranAtMs).toBeGreaterThanOrEqual(dueAtMs);
  });

  it('given actions that are due within the same milliseconds, some added by others, when they run, then in order', async () => {
    const queue = new TimedQueue();
    const ran: number[] = [];
    let [added, dueAtMs] = [0, performance.now()];
    await new Promise<void>((resolve) => {
      const add = () => {
        const number = added;
        added += 1;
        dueAtMs += 0.2;
        queue.add(dueAtMs, () => {
          ran.push(number);
          if (added < ACTIONS) add();
          if (ran.length === ACTIONS) resolve();
        });
      };
      while (added < ACTIONS / 2) add();
    });
    expect(ran).toEqual(Array.from({ length: ACTIONS }, (_, number) => number));
  });
});
