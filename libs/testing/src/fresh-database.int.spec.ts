import pg from 'pg';
import { eventually, freshDatabase } from './index.js';

describe('createFreshDatabase', () => {
  it('given the server of the run, when two databases are created, then each is empty and the roles cannot reach each other', async () => {
    const [one, two] = await Promise.all([freshDatabase(), freshDatabase()]);
    try {
      const client = new pg.Client(one.url);
      await client.connect();
      await client.query('CREATE TABLE t (id int)');
      await client.end();
      const trespass = new URL(one.url);
      trespass.pathname = new URL(two.url).pathname;
      await expect(new pg.Client(trespass.toString()).connect()).rejects.toThrow(/permission denied/);
    } finally {
      await Promise.all([one.drop(), two.drop()]);
    }
  });
});

describe('eventually', () => {
  it('given a check that passes the third time, when it is awaited, then its result is returned', async () => {
    let tries = 0;
    await expect(
      eventually(() => {
        tries += 1;
        if (tries < 3) throw new Error('not yet');
        return tries;
      }),
    ).resolves.toBe(3);
  });
});
