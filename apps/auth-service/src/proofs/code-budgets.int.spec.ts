import { LIMITS } from '@settle/config';
import { createDataSource, migrateSchema, openDataSource } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { DataSource } from 'typeorm';
import { AUTH_SCHEMA } from '../auth-schema.js';
import { CodeBudgets } from './code-budgets.js';

const { codesPerDay } = LIMITS.auth;
const DAY_MS = 86_400_000;

let database: FreshDatabase;
let dataSource: DataSource;
let budgets: CodeBudgets;
beforeAll(async () => {
  database = await freshDatabase();
  await migrateSchema(AUTH_SCHEMA, database.url);
  dataSource = await openDataSource(createDataSource({ name: 'spec', url: database.url, entities: [] }));
  budgets = new CodeBudgets(dataSource);
});
beforeEach(() => dataSource.query('delete from sent_codes'));
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

describe('the codes of a day', () => {
  it('given as many to one address as a day allows, requested at once, when one more is, then it waits for the end of the day, and others do not', async () => {
    const request = () => budgets.count('email', 'd@example.com', null);
    const waits = await Promise.all(Array.from({ length: codesPerDay.address + 5 }, request));
    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(codesPerDay.address);
    const waitMs = await request();
    expect([waitMs > DAY_MS - 60_000, waitMs <= DAY_MS]).toEqual([true, true]);
    expect(await budgets.count('email', 'e@example.com', null)).toBe(0);
    const counts = await dataSource.query<{ sent: number }[]>('select sent from sent_codes order by sent');
    expect(counts.map((row) => row.sent)).toEqual([1, codesPerDay.address, codesPerDay.address + 1]);
    await dataSource.query(`update sent_codes set since = since - interval '1 day'`);
    expect(await request()).toBe(0);
  });

  it('given an account that requests codes to address after address, when there were as many as a day allows, then the next one waits', async () => {
    for (let n = 0; n < codesPerDay.account; n += 1) {
      expect(await budgets.count('phone', `+1415555${String(1_000 + n)}`, '7')).toBe(0);
    }
    expect(await budgets.count('phone', '+14155559999', '7')).toBeGreaterThan(0);
    expect(await budgets.countForAccount('7')).toBeGreaterThan(0);
    expect(await budgets.count('phone', '+14155559999', '8')).toBe(0);
    expect(await budgets.countForAccount('9')).toBe(0);
  });

  it.each(['email', 'phone'] as const)(
    'given as many by %s in total as a day allows, when one more is requested, then it waits, and the other kind does not',
    async (kind) => {
      await budgets.count(kind, 'first', null);
      await dataSource.query('update sent_codes set sent = $1', [codesPerDay[kind]]);
      expect(await budgets.count(kind, 'second', null)).toBeGreaterThan(0);
      expect(await budgets.count(kind === 'email' ? 'phone' : 'email', 'second', null)).toBe(0);
    },
  );
});
