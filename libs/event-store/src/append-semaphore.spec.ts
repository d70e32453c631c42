import fc from 'fast-check';
import { AppendSemaphore } from './append-semaphore.js';
import { NotSent } from './eventstoredb-errors.js';

describe('the gate of appends', () => {
  it('given any appends, when they come and go, then neither bound is passed and all get in, in order', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), async (bytes, appendsInFlight) => {
        const gate = new AppendSemaphore({ appendsInFlight, bytesInFlight: 100 });
        const inside = new Map<number, number>();
        const entered: number[] = [];
        await Promise.all(
          bytes.map(async (size, index) => {
            await gate.acquire(size, 10_000);
            entered.push(index);
            inside.set(index, size);
            const sum = [...inside.values()].reduce((left, right) => left + right, 0);
            expect(inside.size).toBeLessThanOrEqual(appendsInFlight);
            expect(inside.size === 1 || sum <= 100).toBe(true);
            await new Promise((resolve) => setImmediate(resolve));
            inside.delete(index);
            gate.release(size);
          }),
        );
        expect(entered).toEqual(bytes.map((_, index) => index));
      }),
      { numRuns: 30 },
    );
  });

  it('given a full gate, when somebody waits too long, then he was never sent and those behind him get in', async () => {
    const gate = new AppendSemaphore({ appendsInFlight: 2, bytesInFlight: 100 });
    await gate.acquire(60, 1_000);
    const tooLarge = gate.acquire(60, 10);
    const small = gate.acquire(10, 1_000);
    await expect(tooLarge).rejects.toThrow(NotSent);
    await small;
  });
});
