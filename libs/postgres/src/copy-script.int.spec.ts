import { jest } from '@jest/globals';
import { CopyRows, createPool, runCopyScript } from './index.js';

/** Runs `work` and returns how many timers it has started, and how many of them it has not cleared. */
async function countTimers(work: () => Promise<unknown>): Promise<{ started: number; left: number }> {
  const [starts, clears] = [jest.spyOn(globalThis, 'setTimeout'), jest.spyOn(globalThis, 'clearTimeout')];
  try {
    await work();
    const timers = starts.mock.results.map(({ value }) => value as NodeJS.Timeout);
    const cleared = new Set<unknown>(clears.mock.calls.map(([timer]) => timer));
    return { started: timers.length, left: timers.filter((timer) => !cleared.has(timer)).length };
  } finally {
    jest.restoreAllMocks();
  }
}

describe('runCopyScript', () => {
  it('given rows, when a script succeeds or fails, then all or none of its rows are stored and no timer is left', async () => {
    const pool = createPool(process.env['SETTLE_TEST_ADMIN_URL'] ?? '', { max: 1, name: 'spec' });
    const client = await pool.connect();
    await client.query('create temporary table numbers (n bigint primary key)');
    const copied = new CopyRows();
    copied.row(1);
    copied.int8(1);
    const rows = copied.finish();
    const timers = await countTimers(async () => {
      await runCopyScript(client, 'copy numbers (n) from stdin (format binary)', [rows]);
      await expect(
        runCopyScript(client, 'insert into numbers values (2); copy numbers (n) from stdin (format binary)', [rows]),
      ).rejects.toMatchObject({ code: '23505' });
    });
    expect(timers).toEqual({ started: 2, left: 0 });
    expect((await client.query('select n from numbers')).rows).toEqual([{ n: '1' }]);
    client.release();
    await pool.end();
  });
});
