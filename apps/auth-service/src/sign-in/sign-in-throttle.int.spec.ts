import { LIMITS } from '@settle/config';
import { createDataSource, migrateSchema, openDataSource } from '@settle/postgres';
import { eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import type { DataSource } from 'typeorm';
import { AUTH_SCHEMA } from '../tables/auth-schema.js';
import { SignInThrottle, type SignInAttempt } from './sign-in-throttle.js';
import { AttemptThrottle } from './attempt-throttle.js';

const alice: SignInAttempt = { account: 'alice', userId: '1', address: '192.0.2.1', trustedDevice: null };

let database: FreshDatabase;
let dataSource: DataSource;
/** Two instances. */
let throttles: readonly [SignInThrottle, SignInThrottle];
beforeAll(async () => {
  database = await freshDatabase();
  const { url } = database;
  await migrateSchema(AUTH_SCHEMA, url);
  dataSource = await openDataSource(createDataSource({ name: 'spec', url, entities: [] }));
  throttles = [
    new SignInThrottle(new AttemptThrottle(dataSource)),
    new SignInThrottle(new AttemptThrottle(dataSource)),
  ];
});
beforeEach(() => dataSource.query('delete from sign_in_tries'));
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** An attempt with the correct password. */
async function success(throttle: SignInThrottle, attempt = alice): Promise<void> {
  const permit = await throttle.begin(attempt);
  expect(permit.waitMs).toBe(0);
  await throttle.recordSuccess(permit);
}

async function failures(count: number, attempt = alice): Promise<void> {
  for (let n = 0; n < count; n += 1) expect(await waitOf(throttles[n % 2]!, attempt)).toBe(0);
}

const waitOf = async (throttle: SignInThrottle, attempt = alice) => (await throttle.begin(attempt)).waitMs;

const passMs = (ms: number) =>
  dataSource.query(`update sign_in_tries set last_at = last_at - $1 * interval '1 millisecond'`, [ms]);

/** Attempts are moved so far into the future that their wait is not over before a slow machine reads it. */
const AHEAD_MS = 600_000;

/** Returns whether the next attempt must wait if it follows at once, and at most how long. It is not counted then. */
async function waitAtOnce(throttle: SignInThrottle, attempt = alice) {
  await passMs(-AHEAD_MS);
  const waitMs = await waitOf(throttle, attempt);
  await passMs(AHEAD_MS);
  return { mustWait: waitMs > 0, atMostMs: waitMs - AHEAD_MS };
}

describe('SignInThrottle', () => {
  // Shows authorize-32
  it('given ten failed attempts on two instances, when the next attempt begins on either, then it must wait', async () => {
    await failures(10);
    for (const throttle of throttles) {
      const { mustWait, atMostMs } = await waitAtOnce(throttle);
      expect(mustWait).toBe(true);
      expect(atMostMs).toBeLessThanOrEqual(1_000);
    }
    await passMs(1_000);
    expect(await waitOf(throttles[0])).toBe(0);
    expect((await waitAtOnce(throttles[1])).mustWait).toBe(true);
  });

  it('given twenty concurrent attempts, when they begin, then only the ten free ones are allowed', async () => {
    const waits = await Promise.all(Array.from({ length: 20 }, (_, n) => waitOf(throttles[n % 2]!)));
    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(10);
  });

  it('given an account under attack, when an attempt for another account begins from another address, then it need not wait', async () => {
    await failures(10);
    expect(await waitOf(throttles[0], { ...alice, account: 'bob', userId: '2', address: '192.0.2.2' })).toBe(0);
  });

  // Shows authorize-32
  it('given an IPv6 network that attempted many accounts, when the next attempt begins, then it must wait', async () => {
    for (let n = 0; n < 50; n += 1)
      await failures(1, { ...alice, account: `a${n}`, userId: null, address: `2001:db8:1:2::${n}` });
    const next = { ...alice, account: 'fresh', userId: null, address: '2001:db8:1:2:ffff::' };
    expect((await waitAtOnce(throttles[1], next)).mustWait).toBe(true);
  });

  it('given failed attempts, when the correct password is entered, then the count of the account is reset', async () => {
    await failures(10);
    await passMs(1_000);
    await success(throttles[1]);
    await failures(2);
  });

  // Shows authorize-32
  it('given many successful attempts from one address, when the next attempt begins, then it need not wait', async () => {
    for (let n = 0; n < 60; n += 1) await success(throttles[0]);
  });

  it('given failed attempts, when a quarter of an hour passes, then their count is reset', async () => {
    await failures(10);
    await passMs(15 * 60_000);
    await failures(2);
  });

  // Shows friend-23
  it('given an account and an address under attack, when the owner signs in on a trusted device, then the owner need not wait', async () => {
    await failures(10);
    const owner = { ...alice, trustedDevice: 'b1' };
    await failures(9, owner);
    const permit = await throttles[0].begin(owner);
    expect(permit.waitMs).toBe(0);
    expect((await waitAtOnce(throttles[0], owner)).mustWait).toBe(true);
    await throttles[0].recordSuccess(permit);
    await failures(1, owner);
    expect((await waitAtOnce(throttles[0])).mustWait).toBe(true);
  });

  it('given failed attempts for all logins of a user from many addresses, when the next attempt begins, then a common limit applies', async () => {
    for (let n = 0; n < 30; n += 1) await failures(1, { ...alice, account: `name${n % 4}`, address: `192.0.2.${n}` });
    const next = { ...alice, account: 'name9', address: '198.51.100.1' };
    expect((await waitAtOnce(throttles[0], next)).mustWait).toBe(true);
    expect(await waitOf(throttles[0], { ...alice, account: 'name9', userId: '2', address: '198.51.100.1' })).toBe(0);
  });

  it('given more correct passwords from one address than its limit, when the next attempt begins, then it must wait at most two seconds', async () => {
    await success(throttles[0]);
    await dataSource.query('update sign_in_tries set failed = $1 where failed > 0', [LIMITS.auth.hashesPerCaller + 9]);
    const { mustWait, atMostMs } = await waitAtOnce(throttles[0]);
    expect(mustWait).toBe(true);
    expect(atMostMs).toBeLessThanOrEqual(2_000);
    expect(await waitOf(throttles[0], { ...alice, address: '198.51.100.1' })).toBe(0);
  });

  it('given 500 failed attempts of all callers, when the next attempt begins, then it must wait, except for the first three of an account and on a trusted device', async () => {
    const guess = (n: number, account: string): SignInAttempt => ({
      ...alice,
      account,
      userId: null,
      address: `192.0.2.${n}`,
    });
    for (let n = 0; n < 5; n += 1) await failures(1, guess(n, 'guessed'));
    const find = 'select key_sha256 from sign_in_tries where failed = 2';
    const everywhere = await dataSource.query<object[]>(find);
    expect(everywhere).toHaveLength(1);
    await dataSource.query(`update sign_in_tries set failed = 500 where failed = 2`);
    const { mustWait, atMostMs } = await waitAtOnce(throttles[0], guess(5, 'guessed'));
    expect([mustWait, atMostMs <= 100]).toEqual([true, true]);
    await failures(3, guess(6, 'newcomer'));
    expect((await waitAtOnce(throttles[0], guess(6, 'newcomer'))).mustWait).toBe(true);
    await failures(1, { ...guess(5, 'guessed'), trustedDevice: 'b1' });
  });

  it('given attacks from 24 /64 networks of one /56 network, when other users enter the correct password, then none of them must wait', async () => {
    const guessFrom = (network: number, n: number): SignInAttempt => ({
      ...alice,
      account: `guessed${n % 200}`,
      userId: null,
      address: `2001:db8:7:${(0x500 + network).toString(16)}::1`,
    });
    let begun = 0;
    for (let n = 0; n < 50 * 24; n += 1) if ((await waitOf(throttles[n % 2]!, guessFrom(n % 24, n))) === 0) begun += 1;
    for (let n = 0; n < 24; n += 1) {
      const newcomer = { ...alice, account: `newcomer${n}`, userId: String(100 + n), address: `198.51.100.${n}` };
      await success(throttles[n % 2]!, newcomer);
      await throttles[0].begin(guessFrom(n, n));
    }
    expect(begun).toBeGreaterThanOrEqual(100);
    expect(begun).toBeLessThan(120);
  });

  // Shows authorize-33
  it.each([
    ['56', 100, (n: number) => `2001:db8:1:${n.toString(16)}::1`],
    ['48', 200, (n: number) => `2001:db8:1:${(n * 0x100).toString(16)}::1`],
  ])(
    'given a /%s network whose subnetworks made %d failed attempts, when the next attempt begins, then it must wait',
    async (_bits, free, addressOf) => {
      const guess = (n: number): SignInAttempt => ({
        ...alice,
        account: `a${n}`,
        userId: null,
        address: addressOf(n % 200),
      });
      for (let n = 0; n < free; n += 1) await failures(1, guess(n));
      expect((await waitAtOnce(throttles[0], guess(free))).mustWait).toBe(true);
      expect(await waitOf(throttles[0], { ...guess(free), address: '2001:db8:2::1' })).toBe(0);
    },
  );

  // Shows authorize-33
  it('given an attempt whose password was not compared, when it is withdrawn, then it is not counted', async () => {
    for (let n = 0; n < 60; n += 1) {
      const permit = await throttles[0].begin(alice);
      expect(permit.waitMs).toBe(0);
      await throttles[0].withdraw(permit);
    }
    const counts = await dataSource.query<{ failed: number }[]>('select distinct failed from sign_in_tries');
    expect(counts).toEqual([{ failed: 0 }]);
  });

  it('given an attempt that waits for a lock, when its counts are deleted meanwhile, then the attempt is counted', async () => {
    await failures(1);
    const first = 'key_sha256 = (select min(key_sha256) from sign_in_tries)';
    const other = dataSource.createQueryRunner();
    await other.startTransaction();
    await other.query(`select from sign_in_tries where ${first} for update`);
    const begun = waitOf(throttles[0]);
    await eventually(async () => {
      const find = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect(await dataSource.query<unknown[]>(find)).toHaveLength(1);
    });
    await dataSource.query(`delete from sign_in_tries where not ${first}`);
    await other.commitTransaction();
    await other.release();
    expect(await begun).toBe(0);
    const rows = await dataSource.query<{ failed: number }[]>('select failed from sign_in_tries order by key_sha256');
    expect(rows.map(({ failed }) => failed)).toEqual([2, 1, 1, 1]);
  });

  it('given an attempt, when the table is read, then it contains neither the login nor the address', async () => {
    await failures(1, { ...alice, account: 'c4n4ry', address: 'c4n4ry' });
    expect(JSON.stringify(await dataSource.query('select * from sign_in_tries'))).not.toContain('c4n4ry');
  });
});
