import { jest } from '@jest/globals';
import { CopyRows, createPool, runCopyScript } from './index.js';

/** Does the work, and answers how many timers it has begun, and how many of them it has not ended. */
async function timersOf(work: () => Promise<unknown>): Promise<{ begun: number; left: number }> {
  const [begun, ended] = [jest.spyOn(globalThis, 'setTimeout'), jest.spyOn(globalThis, 'clearTimeout')];
  try {
    await work();
    const timers = begun.mock.results.map(({ value }) => value as NodeJS.Timeout);
    const cleared = new Set<unknown>(ended.mock.calls.map(([timer]) => timer));
    return { begun: timers.length, left: timers.filter((timer) => !cleared.has(timer)).length };
  } finally {
    jest.restoreAllMocks();
  }
}

describe('runCopyScript', () => {
  it('given rows, when the script has run or was refused, then all or none are there and no timer is left', async () => {
    const pool = createPool(process.env['SETTLE_TEST_ADMIN_URL'] ?? '', { max: 1, name: 'spec' });
    const client = await pool.connect();
    await client.query('create temporary table numbers (n bigint primary key)');
    const copied = new CopyRows();
    copied.row(1);
    copied.int8(1);
    const rows = copied.finish();
    const timers = await timersOf(async () => {
      await runCopyScript(client, 'copy numbers (n) from stdin (format binary)', [rows]);
      await expect(
        runCopyScript(client, 'insert into numbers values (2); copy numbers (n) from stdin (format binary)', [rows]),
      ).rejects.toMatchObject({ code: '23505' });
    });
    expect(timers).toEqual({ begun: 2, left: 0 });
    expect((await client.query('select n from numbers')).rows).toEqual([{ n: '1' }]);
    client.release();
    await pool.end();
  });
});
