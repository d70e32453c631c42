import { createDataSource, openDataSource } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { DataSource } from 'typeorm';
import { AUTH_MIGRATIONS } from '../start-auth-service.js';
import { SignInThrottle, type SignInTry } from './sign-in-throttle.js';
import { Tries } from './tries.js';

const alice: SignInTry = { account: 'alice', address: '192.0.2.1', knownBrowser: null };

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
    expect(await throttles[0].begin({ ...alice, account: 'bob', address: '192.0.2.2' })).toBe(0);
  });

  it('given one address that tries many accounts, when it goes on, then it must wait', async () => {
    for (let n = 0; n < 50; n += 1) await failures(1, { ...alice, account: `a${n}`, address: 'x' });
    expect(await throttles[1].begin({ ...alice, account: 'fresh', address: 'x' })).toBeGreaterThan(0);
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

  it('given tries, when the table is looked at, then nobody can read what was typed', async () => {
    await failures(1, { ...alice, account: 'c4n4ry', address: 'c4n4ry' });
    expect(JSON.stringify(await dataSource.query('select * from sign_in_tries'))).not.toContain('c4n4ry');
  });
});
