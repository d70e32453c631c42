import { responseAtMs, runAt, serverDelayMs } from './stand-in-timing.js';

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
    const ranAtMs = await new Promise<number>((resolve) => runAt(dueAtMs, () => resolve(performance.now())));
    expect(ranAtMs).toBeGreaterThanOrEqual(dueAtMs);
  });
});
