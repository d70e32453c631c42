import { ThrottledLog } from './throttled-log.js';

describe('a throttled log', () => {
  it('given many events within the interval, when the next one comes after it, then one line counts them all', () => {
    let atMs = 0;
    const lines: number[] = [];
    const log = new ThrottledLog(1_000, () => atMs);
    const record = () => log.record((count) => lines.push(count));
    record();
    for (atMs = 1; atMs < 1_000; atMs += 1) record();
    expect(lines).toEqual([1]);
    atMs = 1_000;
    record();
    expect(lines).toEqual([1, 1_000]);
  });
});
