import fc from 'fast-check';
import { StreamQueues } from './stream-queues.js';

describe('StreamQueues', () => {
  it('given units with common streams in any order, when they wait for their turns, then each stream has them in order', async () => {
    const streams = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(streams, { maxLength: 12 }), async (units) => {
        const queues = new StreamQueues();
        const seen = new Map<string, number[]>();
        const run = async (unit: readonly string[], index: number) => {
          const positions = queues.enqueue(unit);
          for (const stream of unit) {
            await positions.waitForTurn(stream);
            seen.set(stream, [...(seen.get(stream) ?? []), index]);
            await new Promise((resolve) => setImmediate(resolve));
            positions.leave(stream);
          }
        };
        await Promise.all(units.map(run));
        for (const order of seen.values()) expect(order).toEqual([...order].sort((left, right) => left - right));
      }),
    );
  });

  it('given a unit that fails, when it leaves all its queues, then the next unit has its turn', async () => {
    const queues = new StreamQueues();
    const failed = queues.enqueue(['a', 'b']);
    const next = queues.enqueue(['b', 'a']);
    failed.leaveAll();
    await next.waitForTurn('b');
    await next.waitForTurn('a');
  });
});
