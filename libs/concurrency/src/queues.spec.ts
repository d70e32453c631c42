import { setImmediate as turn } from 'node:timers/promises';
import { CoalescingLoader } from './coalescing-loader.js';
import { KeyedMutex } from './keyed-mutex.js';

describe('CoalescingLoader', () => {
  it('given keys of one turn, when they are loaded, then they share loads, and later keys share the next one', async () => {
    const loads: (readonly number[])[] = [];
    const loader = new CoalescingLoader<number, string>(2, async (keys) => {
      loads.push(keys);
      await turn();
      return keys.map((key) => (key === 3 ? null : `value ${key}`));
    });
    const first = Promise.all([1, 2, 3].map((key) => loader.load(key)));
    await Promise.resolve();
    await Promise.resolve();
    const later = loader.load(4);
    expect([await first, await later]).toEqual([['value 1', 'value 2', null], 'value 4']);
    expect(loads).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('given a load that fails, when its keys wait, then they get the error, and the next load is unaffected', async () => {
    let isBroken = true;
    const loader = new CoalescingLoader<number, number>(10, (keys) =>
      isBroken ? Promise.reject(new Error('unavailable')) : Promise.resolve(keys),
    );
    await expect(loader.load(1)).rejects.toThrow('unavailable');
    isBroken = false;
    expect(await loader.load(2)).toBe(2);
  });
});

describe('KeyedMutex', () => {
  it('given tasks of two keys, when they run, then those of one key follow each other, also after a failure', async () => {
    const mutex = new KeyedMutex();
    const log: string[] = [];
    const work =
      (name: string, isFailing = false) =>
      async () => {
        log.push(`${name} begins`);
        await turn();
        log.push(`${name} ends`);
        if (isFailing) throw new Error(name);
      };
    const failing = mutex.run('a', work('a1', true));
    const others = [mutex.run('a', work('a2')), mutex.run('b', work('b1'))];
    await expect(failing).rejects.toThrow('a1');
    await Promise.all(others);
    expect(log.slice(0, 2)).toEqual(['a1 begins', 'b1 begins']);
    expect(log.filter((entry) => entry.startsWith('a'))).toEqual(['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends']);
    expect(mutex.isLocked('a')).toBe(false);
  });
});
