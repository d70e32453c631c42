import type { Pool } from 'pg';
import { DataKeys } from './data-keys.js';
import type { WrappingKeys } from './wrapping-keys.js';

describe('DataKeys', () => {
  /** Keys whose database responds as told. */
  function keysOn(query: () => Promise<{ rowCount: number }>): DataKeys {
    return new DataKeys({ query } as unknown as Pool, {} as WrappingKeys);
  }

  it('given encryption that has begun, when many texts are written at once right after a start, then all are encrypted', async () => {
    const { promise, resolve } = Promise.withResolvers<{ rowCount: number }>();
    let queries = 0;
    const keys = keysOn(() => {
      queries += 1;
      return promise;
    });
    const asked = [keys.hasBegun(), keys.hasBegun(), keys.hasBegun()];
    resolve({ rowCount: 1 });
    expect(await Promise.all(asked)).toEqual([true, true, true]);
    expect(queries).toBe(1);
  });

  it('given encryption that has begun, when the first query fails, then no text is written before another has succeeded', async () => {
    const responses = [Promise.reject(new Error('connection lost')), Promise.resolve({ rowCount: 1 })];
    const keys = keysOn(() => responses.shift() ?? Promise.reject(new Error('asked again')));
    await expect(keys.hasBegun()).rejects.toThrow('connection lost');
    expect(await keys.hasBegun()).toBe(true);
    expect(await keys.hasBegun()).toBe(true);
  });
});
