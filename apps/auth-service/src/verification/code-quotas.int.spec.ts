import { LIMITS } from '@settle/config';
import { createDataSource, migrateSchema, openDataSource } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { DataSource } from 'typeorm';
import { AUTH_SCHEMA } from '../tables/auth-schema.js';
import { CodeQuotas } from './code-quotas.js';

const { codesPerDay } = LIMITS.auth;
const DAY_MS = 86_400_000;

let database: FreshDatabase;
let dataSource: DataSource;
let budgets: CodeQuotas;
beforeAll(async () => {
  database = await freshDatabase();
  await migrateSchema(AUTH_SCHEMA, database.url);
  dataSource = await openDataSource(createDataSource({ name: 'spec', url: database.url, entities: [] }));
  budgets = new CodeQuotas(dataSource);
});
beforeEach(() => dataSource.query('delete from sent_codes'));
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

describe('CodeQuotas', () => {
  it('given an address with its daily quota of concurrent requests used up, when one more code is requested, then it waits for the end of the day and other addresses do not', async () => {
    const request = () => budgets.consume('email', 'd@example.com', null);
    const waits = await Promise.all(Array.from({ length: codesPerDay.address + 5 }, request));
    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(codesPerDay.address);
    const waitMs = await request();
    expect([waitMs > DAY_MS - 60_000, waitMs <= DAY_MS]).toEqual([true, true]);
    expect(await budgets.consume('email', 'e@example.com', null)).toBe(0);
    const counts = await dataSource.query<{ sent: number }[]>('select sent from sent_codes order by sent');
    expect(counts.map((row) => row.sent)).toEqual([1, codesPerDay.address, codesPerDay.address + 1]);
    await dataSource.query(`update sent_codes set since = since - interval '1 day'`);
    expect(await request()).toBe(0);
  });

  it('given an account that has used up its daily quota on many addresses, when it requests one more code, then it must wait', async () => {
    for (let n = 0; n < codesPerDay.account; n += 1) {
      expect(await budgets.consume('phone', `+1415555${String(1_000 + n)}`, '7')).toBe(0);
    }
    expect(await budgets.consume('phone', '+14155559999', '7')).toBeGreaterThan(0);
    expect(await budgets.consumeForAccount('7')).toBeGreaterThan(0);
    expect(await budgets.consume('phone', '+14155559999', '8')).toBe(0);
    expect(await budgets.consumeForAccount('9')).toBe(0);
  });

  it.each(['email', 'phone'] as const)(
    'given the daily quota of all codes by %s used up, when one more is requested, then it must wait and the other kind need not',
    async (kind) => {
      await budgets.consume(kind, 'first', null);
      await dataSource.query('update sent_codes set sent = $1', [codesPerDay[kind]]);
      expect(await budgets.consume(kind, 'second', null)).toBeGreaterThan(0);
      expect(await budgets.consume(kind === 'email' ? 'phone' : 'email', 'second', null)).toBe(0);
    },
  );
});
