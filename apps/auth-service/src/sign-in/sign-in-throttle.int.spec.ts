import { LIMITS } from '@settle/config';
import { createDataSource, openDataSource } from '@settle/postgres';
import { eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import type { DataSource } from 'typeorm';
import { AUTH_MIGRATIONS } from '../start-auth-service.js';
import { SignInThrottle, type SignInTry } from './sign-in-throttle.js';
import { Tries } from './tries.js';

const alice: SignInTry = { account: 'alice', userId: '1', address: '192.0.2.1', knownBrowser: null };

let database: FreshDatabase;
let dataSource: DataSource;
/** Two instances. */
let throttles: readonly [SignInThrottle, SignInThrottle];
beforeAll(async () => {
  database = await freshDatabase();
  const { url } = database;
  dataSource = await openDataSource(createDataSource({ name: 'spec', url, entities: [], migrations: AUTH_MIGRATIONS }));
  throttles = [new SignInThrottle(new Tries(dataSource)), new SignInThrottle(new Tries(dataSource))];
});
beforeEach(() => dataSource.query('delete from sign_in_tries'));
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

async function failures(count: number, attempt = alice): Promise<void> {
  for (let n = 0; n < count; n += 1) expect(await throttles[n % 2]?.begin(attempt)).toBe(0);
}

const passMs = (ms: number) =>
  dataSource.query(`update sign_in_tries set last_at = last_at - $1 * interval '1 millisecond'`, [ms]);

describe('SignInThrottle', () => {
  it('given ten failed tries at two instances, when tried again at either, then it must wait', async () => {
    await failures(10);
    for (const throttle of throttles) {
      const waitMs = await throttle.begin(alice);
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(1_000);
    }
    await passMs(1_000);
    expect(await throttles[0].begin(alice)).toBe(0);
    expect(await throttles[1].begin(alice)).toBeGreaterThan(1_000);
  });

  it('given many tries at the same moment, when they begin, then no more than the free ones may', async () => {
    const waits = await Promise.all(Array.from({ length: 20 }, (_, n) => throttles[n % 2]!.begin(alice)));
    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(10);
  });

  it('given an account under attack, when another account is tried from elsewhere, then it need not wait', async () => {
    await failures(10);
    expect(await throttles[0].begin({ ...alice, account: 'bob', userId: '2', address: '192.0.2.2' })).toBe(0);
  });

  it('given one network of IPv6 that tries many accounts, when it goes on, then it must wait', async () => {
    for (let n = 0; n < 50; n += 1)
      await failures(1, { ...alice, account: `a${n}`, userId: null, address: `2001:db8:1:2::${n}` });
    expect(
      await throttles[1].begin({ ...alice, account: 'fresh', userId: null, address: '2001:db8:1:2:ffff::' }),
    ).toBeGreaterThan(0);
  });

  it('given failed tries, when the right password comes, then the account starts anew', async () => {
    await failures(10);
    await passMs(1_000);
    await failures(1);
    await throttles[1].succeeded(alice);
    await failures(1);
  });

  it('given tries that succeed, when there are many from one address, then it never waits', async () => {
    for (let n = 0; n < 60; n += 1) {
      await failures(1);
      await throttles[0].succeeded(alice);
    }
  });

  it('given failed tries, when a quarter of an hour passes, then they are forgotten', async () => {
    await failures(10);
    await passMs(15 * 60_000);
    await failures(2);
  });

  it('given an account and an address under attack, when its owner comes in a known browser, then they need not wait', async () => {
    await failures(10);
    const owner = { ...alice, knownBrowser: 'b1' };
    await failures(10, owner);
    expect(await throttles[0].begin(owner)).toBeGreaterThan(0);
    await throttles[0].succeeded(owner);
    expect(await throttles[0].begin(alice)).toBeGreaterThan(0);
  });

  it('given all names of one person, when each is tried from many addresses, then they have a bound together', async () => {
    for (let n = 0; n < 30; n += 1) await failures(1, { ...alice, account: `name${n % 4}`, address: `192.0.2.${n}` });
    expect(await throttles[0].begin({ ...alice, account: 'name9', address: '198.51.100.1' })).toBeGreaterThan(0);
    expect(await throttles[0].begin({ ...alice, account: 'name9', userId: '2', address: '198.51.100.1' })).toBe(0);
  });

  it('given right passwords without end from one address, when they go on, then each next one waits, at most two seconds', async () => {
    await failures(1);
    await throttles[0].succeeded(alice);
    await dataSource.query('update sign_in_tries set failed = $1 where failed > 0', [LIMITS.auth.hashesPerCaller + 9]);
    const waitMs = await throttles[0].begin(alice);
    expect(waitMs).toBeGreaterThan(1_000);
    expect(waitMs).toBeLessThanOrEqual(2_000);
    expect(await throttles[0].begin({ ...alice, address: '198.51.100.1' })).toBe(0);
  });

  it('given guesses from everywhere, when there were 500, then the next waits a moment, but not in a known browser', async () => {
    const guess = (n: number): SignInTry => ({ ...alice, account: `a${n}`, userId: null, address: `192.0.2.${n}` });
    for (let n = 0; n < 2; n += 1) await failures(1, guess(n));
    await dataSource.query('update sign_in_tries set failed = 500 where failed = 2');
    const waitMs = await throttles[0].begin(guess(2));
    expect([waitMs > 0, waitMs <= 100]).toEqual([true, true]);
    await failures(1, { ...guess(2), knownBrowser: 'b1' });
  });

  it('given counts that are forgotten while the next try waits for its turn, then that try counts', async () => {
    await failures(1);
    const first = 'key_sha256 = (select min(key_sha256) from sign_in_tries)';
    const other = dataSource.createQueryRunner();
    await other.startTransaction();
    await other.query(`select from sign_in_tries where ${first} for update`);
    const begun = throttles[0].begin(alice);
    await eventually(async () => {
      const find = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect(await dataSource.query<unknown[]>(find)).toHaveLength(1);
    });
    await dataSource.query(`delete from sign_in_tries where not ${first}`);
    await other.commitTransaction();
    await other.release();
    expect(await begun).toBe(0);
    const rows = await dataSource.query<{ failed: number }[]>('select failed from sign_in_tries order by key_sha256');
    expect(rows.map(({ failed }) => failed)).toEqual([2, 1, 1, 1, 1]);
  });

  it('given tries, when the table is looked at, then nobody can read what was typed', async () => {
    await failures(1, { ...alice, account: 'c4n4ry', address: 'c4n4ry' });
    expect(JSON.stringify(await dataSource.query('select * from sign_in_tries'))).not.toContain('c4n4ry');
  });
});
