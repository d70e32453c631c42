import fc from 'fast-check';
import { StreamQueues } from './stream-queues.js';

describe('turns on streams', () => {
  it('given units that share streams in any order, when they take their turns, then each stream sees them in order', async () => {
    const streams = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(streams, { maxLength: 12 }), async (units) => {
        const turns = new StreamQueues();
        const seen = new Map<string, number[]>();
        const run = async (unit: readonly string[], index: number) => {
          const places = turns.enqueue(unit);
          for (const stream of unit) {
            await places.waitForTurn(stream);
            seen.set(stream, [...(seen.get(stream) ?? []), index]);
            await new Promise((resolve) => setImmediate(resolve));
            places.leave(stream);
          }
        };
        await Promise.all(units.map(run));
        for (const order of seen.values()) expect(order).toEqual([...order].sort((left, right) => left - right));
      }),
    );
  });

  it('given somebody who fails, when he leaves all his places, then those behind him come on', async () => {
    const turns = new StreamQueues();
    const failed = turns.enqueue(['a', 'b']);
    const next = turns.enqueue(['b', 'a']);
    failed.leaveAll();
    await next.waitForTurn('b');
    await next.waitForTurn('a');
  });
});
