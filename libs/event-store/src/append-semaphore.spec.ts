import fc from 'fast-check';
import { AppendSemaphore } from './append-semaphore.js';
import { NotSent } from './eventstoredb-errors.js';

describe('AppendSemaphore', () => {
  it('given any appends, when they are sent concurrently, then both limits hold and all are admitted in order', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), async (bytes, appendsInFlight) => {
        const semaphore = new AppendSemaphore({ appendsInFlight, bytesInFlight: 100 });
        const inFlight = new Map<number, number>();
        const admitted: number[] = [];
        await Promise.all(
          bytes.map(async (size, index) => {
            await semaphore.acquire(size, 10_000);
            admitted.push(index);
            inFlight.set(index, size);
            const sum = [...inFlight.values()].reduce((left, right) => left + right, 0);
            expect(inFlight.size).toBeLessThanOrEqual(appendsInFlight);
            expect(inFlight.size === 1 || sum <= 100).toBe(true);
            await new Promise((resolve) => setImmediate(resolve));
            inFlight.delete(index);
            semaphore.release(size);
          }),
        );
        expect(admitted).toEqual(bytes.map((_, index) => index));
      }),
      { numRuns: 30 },
    );
  });

  it('given a full semaphore, when an append times out, then it is not sent and the next one is admitted', async () => {
    const semaphore = new AppendSemaphore({ appendsInFlight: 2, bytesInFlight: 100 });
    await semaphore.acquire(60, 1_000);
    const tooLarge = semaphore.acquire(60, 10);
    const small = semaphore.acquire(10, 1_000);
    await expect(tooLarge).rejects.toThrow(NotSent);
    await small;
  });
});
