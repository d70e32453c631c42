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
