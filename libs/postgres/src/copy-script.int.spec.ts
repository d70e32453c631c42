import { CopyRows, createPool, runCopyScript } from './index.js';

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('runCopyScript', () => {
  it('given rows, when the script has run or was refused, then all or none are there and no timer is left', async () => {
    const pool = createPool(process.env['SETTLE_TEST_ADMIN_URL'] ?? '', { max: 1, name: 'spec' });
    const client = await pool.connect();
    await client.query('create temporary table numbers (n bigint primary key)');
    const copied = new CopyRows();
    copied.row(1);
    copied.int8(1);
    const rows = copied.finish();
    const before = timers();
    await runCopyScript(client, 'copy numbers (n) from stdin (format binary)', [rows]);
    await expect(
      runCopyScript(client, 'insert into numbers values (2); copy numbers (n) from stdin (format binary)', [rows]),
    ).rejects.toMatchObject({ code: '23505' });
    expect(timers()).toBe(before);
    expect((await client.query('select n from numbers')).rows).toEqual([{ n: '1' }]);
    client.release();
    await pool.end();
  });
});
