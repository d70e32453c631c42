import { ChangeTracker } from './change-tracker.js';
import { ResultCache } from './result-cache.js';

let changes: ChangeTracker;
let cache: ResultCache<object>;
let reads: string[];
beforeEach(() => {
  changes = new ChangeTracker(100);
  changes.resume();
  cache = new ResultCache(changes, { results: 3, bytes: 100 });
  reads = [];
});

/** Depends on the key of the same name. */
function get(name: string, bytes = 10, whileReading: () => void = () => undefined): Promise<object> {
  return cache.get(name, async () => {
    reads.push(name);
    await Promise.resolve();
    whileReading();
    return { result: { name }, dependsOn: [name], bytes };
  });
}

describe('ResultCache', () => {
  it('given a kept result, when it is asked for again, then the same object is returned until it changes', async () => {
    const first = await get('a');
    changes.record(['b']);
    expect(await get('a')).toBe(first);
    changes.record(['a']);
    const second = await get('a');
    expect([second === first, await get('a')]).toEqual([false, second]);
    expect(reads).toEqual(['a', 'a']);
  });

  it('given a result that changes while it is read, when it is asked for again, then it is read again', async () => {
    await get('a', 10, () => changes.record(['a']));
    await get('a');
    await get('a');
    expect(reads).toEqual(['a', 'a']);
  });

  it('given a read that fails, when it is asked for again, then it is read again', async () => {
    const failure = new Error('no database');
    await expect(cache.get('a', () => Promise.reject(failure))).rejects.toBe(failure);
    await get('a');
    expect(reads).toEqual(['a']);
  });

  it('given a suspended tracker, when a result is asked for, then it is read each time', async () => {
    changes.suspend();
    await get('a');
    await get('a');
    expect(reads).toEqual(['a', 'a']);
  });

  it('given as many results as are kept, when one more is read, then the one that was used longest ago is read again', async () => {
    for (const name of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await get(name);
    expect(reads).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  it('given results of a large size, when they exceed the bytes, then fewer are kept; one that exceeds them alone is not', async () => {
    for (const name of ['a', 'b', 'a', 'b']) await get(name, 60);
    expect(reads).toEqual(['a', 'b', 'a', 'b']);
    await get('c', 101);
    await get('c', 101);
    await get('d', 40);
    await get('d', 40);
    expect(reads.slice(4)).toEqual(['c', 'c', 'd']);
  });

  it('given two reads of one result at once, when both end, then its size counts once', async () => {
    await Promise.all([get('a', 60), get('a', 60)]);
    await get('b', 40);
    await get('a', 60);
    await get('b', 40);
    expect(reads).toEqual(['a', 'a', 'b']);
  });
});
