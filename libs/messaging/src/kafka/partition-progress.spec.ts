import fc from 'fast-check';
import { PartitionProgress } from './partition-progress.js';

describe('progress of a partition', () => {
  it('given nothing begun, when asked what to commit, then nothing, or where it starts', () => {
    expect(new PartitionProgress().toCommit()).toBeNull();
    expect(new PartitionProgress(7).toCommit()).toBe(7);
  });

  it('given a record begun before, when it comes again, then it is not begun again', () => {
    const progress = new PartitionProgress();
    expect([5, 6, 5, 6, 9].map((offset) => progress.begin(offset))).toEqual([true, true, false, false, true]);
    expect(progress.next).toBe(10);
  });

  it('given a record with a listener, when lower ones are committed, then it is not notified; with its own commit, it is', async () => {
    const progress = new PartitionProgress();
    for (const offset of [5, 6]) progress.begin(offset);
    const told: string[] = [];
    const committed = progress.committed(5).then(() => told.push('committed'));
    progress.onCommitted(5);
    await Promise.resolve();
    expect(told).toEqual([]);
    progress.onCommitted(6);
    await committed;
    expect(told).toEqual(['committed']);
  });

  it('given records finished in any order, when asked at any time, then only what all lower ones allow is committed', () => {
    const order = fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(order, fc.infiniteStream(fc.nat()), (offsets, chances) => {
        const progress = new PartitionProgress();
        const open = offsets.toSorted((left, right) => left - right);
        const beyond = (open.at(-1) ?? 0) + 1;
        for (const offset of open) progress.begin(offset);
        while (open.length > 0) {
          const lowest = open[0] ?? 0;
          const due = progress.toCommit();
          if (due !== null) {
            expect(due).toBe(lowest);
            progress.onCommitted(due);
          }
          const [chance] = chances.take(1);
          const [finished] = open.splice((chance ?? 0) % open.length, 1);
          progress.finish(finished ?? 0);
        }
        expect(progress.toCommit()).toBe(beyond);
      }),
    );
  });
});
