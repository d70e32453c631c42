import { setImmediate as turn } from 'node:timers/promises';
import { forEachConcurrent } from './for-each-concurrent.js';

describe('forEachConcurrent', () => {
  it('given ten rows and three slots, when they are processed, then each is begun once, in order, three at a time', async () => {
    const rows = Array.from({ length: 10 }, (_, row) => row);
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    await forEachConcurrent(rows, 3, async (row) => {
      begun.push(row);
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
    });
    expect([begun, most, running]).toEqual([rows, 3, 0]);
  });

  it('given a row that fails, when worked on, then it rejects with that and begins no further row', async () => {
    const begun: number[] = [];
    const failing = forEachConcurrent([1, 2, 3, 4, 5, 6], 2, async (row) => {
      begun.push(row);
      await turn();
      if (row === 2) throw new RangeError('two');
    });
    await expect(failing).rejects.toThrow('two');
    await turn();
    await turn();
    expect(begun).toEqual([1, 2, 3]);
  });

  it('given a row that fails while another is processed, when it rejects, then the other has ended', async () => {
    let hasEnded = false;
    const failing = forEachConcurrent(['slow', 'failing'], 2, async (row) => {
      if (row === 'failing') throw new RangeError(row);
      await turn();
      hasEnded = true;
    });
    await expect(failing).rejects.toThrow('failing');
    expect(hasEnded).toBe(true);
  });
});
