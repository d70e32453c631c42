import { createPool } from './connections.js';

describe('createPool', () => {
  it('given a connection in use, when it breaks, then its query rejects and the process keeps running', async () => {
    const pool = createPool(process.env['SETTLE_TEST_ADMIN_URL'] ?? '', { max: 2, name: 'spec' });
    try {
      const client = await pool.connect();
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const sleeping = client.query('select pg_sleep(60)').catch((error: unknown) => error);
      await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      expect(await sleeping).toBeInstanceOf(Error);
      // An error event without a listener would end the process.
      expect(() => client.emit('error', new Error('Connection terminated unexpectedly'))).not.toThrow();
      client.release(true);
    } finally {
      await pool.end();
    }
  });

  it('given a URL whose options shorten float8, when microseconds are read as float8, then none is lost', async () => {
    const url = new URL(process.env['SETTLE_TEST_ADMIN_URL'] ?? '');
    url.searchParams.set('options', '-c extra_float_digits=0');
    const pool = createPool(url.href, { max: 1, name: 'spec' });
    try {
      const { rows } = await pool.query('select 1795550000123457::bigint::float8 as "atUs"');
      expect(rows).toEqual([{ atUs: 1795550000123457 }]);
    } finally {
      await pool.end();
    }
  });
});

describe('createPool with schemas', () => {
  const adminUrl = process.env['SETTLE_TEST_ADMIN_URL'] ?? '';
  const withOptions = (url: string) => {
    const withSearchPath = new URL(url);
    withSearchPath.searchParams.set('options', '-c search_path=public -c lock_timeout=7000');
    return withSearchPath.href;
  };

  it.each([
    ['a URL', adminUrl, '0'],
    ['a URL with options', withOptions(adminUrl), '7s'],
  ])(
    'given %s, when a connection opens, then its search path has only the schemas of the pool',
    async (_given, url, timeout) => {
      const pool = createPool(url, { max: 1, name: 'spec', schemas: ['pg_temp', 'nowhere'] });
      try {
        const { rows } = await pool.query(
          `select current_setting('search_path') as path, current_setting('lock_timeout') as timeout`,
        );
        expect(rows).toEqual([{ path: 'pg_temp,nowhere', timeout }]);
      } finally {
        await pool.end();
      }
    },
  );
});
