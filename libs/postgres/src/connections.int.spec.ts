import { createPool } from './connections.js';

describe('createPool', () => {
  it('given a connection taken out of the pool, when it breaks, then its query rejects and the process lives', async () => {
    const pool = createPool(process.env['SETTLE_TEST_ADMIN_URL'] ?? '', { max: 2, name: 'spec' });
    try {
      const client = await pool.connect();
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const sleeping = client.query('select pg_sleep(60)').catch((error: unknown) => error);
      await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      expect(await sleeping).toBeInstanceOf(Error);
      // What is emitted without a listener ends the process.
      expect(() => client.emit('error', new Error('Connection terminated unexpectedly'))).not.toThrow();
      client.release(true);
    } finally {
      await pool.end();
    }
  });
});

describe('the schemas of a pool', () => {
  const address = process.env['SETTLE_TEST_ADMIN_URL'] ?? '';
  const withOptions = (url: string) => {
    const own = new URL(url);
    own.searchParams.set('options', '-c search_path=public -c lock_timeout=7000');
    return own.href;
  };

  it.each([
    ['an address', address, '0'],
    ['an address with options of its own', withOptions(address), '7s'],
  ])('given %s, when a statement names a table, then it is looked for in these alone', async (_given, url, timeout) => {
    const pool = createPool(url, { max: 1, name: 'spec', schemas: ['pg_temp', 'nowhere'] });
    try {
      const { rows } = await pool.query(
        `select current_setting('search_path') as path, current_setting('lock_timeout') as timeout`,
      );
      expect(rows).toEqual([{ path: 'pg_temp,nowhere', timeout }]);
    } finally {
      await pool.end();
    }
  });
});
