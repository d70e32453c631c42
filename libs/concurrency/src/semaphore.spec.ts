import { jest } from '@jest/globals';
import fc from 'fast-check';
import { Semaphore } from './semaphore.js';

describe('Semaphore', () => {
  afterEach(() => jest.useRealTimers());

  it('given any weights, when they are acquired concurrently, then both limits hold and all are admitted in order', async () => {
    const allWeights = fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(allWeights, fc.integer({ min: 1, max: 5 }), async (weights, slots) => {
        const semaphore = new Semaphore({ slots, weight: 100 });
        const holders = new Map<number, number>();
        const admitted: number[] = [];
        await Promise.all(
          weights.map(async (weight, index) => {
            expect(await semaphore.acquire(10_000, weight)).toBe(true);
            admitted.push(index);
            holders.set(index, weight);
            const sum = [...holders.values()].reduce((left, right) => left + right, 0);
            expect(holders.size).toBeLessThanOrEqual(slots);
            expect(holders.size === 1 || sum <= 100).toBe(true);
            await new Promise((resolve) => setImmediate(resolve));
            holders.delete(index);
            semaphore.release(weight);
          }),
        );
        expect(admitted).toEqual(weights.map((_, index) => index));
      }),
      { numRuns: 30 },
    );
  });

  it('given a heavy caller at the head of the queue, when its time is up, then it is refused and the next is admitted', async () => {
    jest.useFakeTimers();
    const semaphore = new Semaphore({ slots: 2, weight: 100 });
    await semaphore.acquire(1_000, 60);
    const heavy = semaphore.acquire(10, 60);
    const light = semaphore.acquire(1_000, 10);
    await jest.advanceTimersByTimeAsync(10);
    expect([await heavy, await light, jest.getTimerCount()]).toEqual([false, true, 0]);
  });

  it('given a full queue, when a slot is acquired, then it is refused at once', async () => {
    const semaphore = new Semaphore({ slots: 1, waiting: 1 });
    await semaphore.acquire();
    const isFullBefore = semaphore.isQueueFull;
    const waiting = semaphore.acquire();
    expect([isFullBefore, semaphore.isQueueFull, await semaphore.acquire()]).toEqual([false, true, false]);
    expect(semaphore.waiting).toBe(1);
    semaphore.release();
    expect(await waiting).toBe(true);
  });

  it('given a caller whose time is up although its timer is late, when a slot is released, then it is refused', async () => {
    jest.useFakeTimers();
    const semaphore = new Semaphore({ slots: 1 });
    await semaphore.acquire();
    const late = semaphore.acquire(10);
    jest.spyOn(performance, 'now').mockReturnValueOnce(performance.now() + 20);
    semaphore.release();
    expect(await late).toBe(false);
  });

  it('given a holder and a waiting caller, when both have released, then it is idle', async () => {
    const semaphore = new Semaphore({ slots: 1 });
    await semaphore.acquire();
    const second = semaphore.acquire();
    let isIdle = false;
    const idle = semaphore.idle().then(() => (isIdle = true));
    semaphore.release();
    await second;
    expect(isIdle).toBe(false);
    semaphore.release();
    await idle;
    await semaphore.idle();
  });
});
