import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { PAYMENTS_SCHEMA } from '../payments-schema.js';
import { requireProviderMode, type ProviderUse } from './provider-mode.js';

const development: ProviderUse = { isLive: false, nodeEnv: 'development', allowTestProvider: false };
const production: ProviderUse = { isLive: true, nodeEnv: 'production', allowTestProvider: false };
const allowed: ProviderUse = { ...production, isLive: false, allowTestProvider: true };

describe('a database and the kind of its provider', () => {
  let database: FreshDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await freshDatabase();
    await migrateSchema(PAYMENTS_SCHEMA, await database.separateMigrations());
    pool = createPool(database.url, { max: 2, name: 'provider-mode-spec' });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const modes = async () => (await pool.query<{ mode: string }>('select mode from provider_mode')).rows;

  it.each([
    ['a live provider in production', production, 'live', { ...production, isLive: false, allowTestProvider: true }],
    ['a test provider that production allows', allowed, 'test', production],
  ])('given %s, when it was used, then it is marked, and the other kind is refused for ever', async (...row) => {
    const [, first, mode, other] = row;
    await requireProviderMode(pool, first);
    await requireProviderMode(pool, first);
    expect(await modes()).toEqual([{ mode }]);
    await expect(requireProviderMode(pool, other)).rejects.toThrow('this database was used with a');
    await requireProviderMode(pool, first);
    await expect(pool.query(`update provider_mode set mode = 'live'`)).rejects.toThrow('permission denied');
    await expect(pool.query('delete from provider_mode')).rejects.toThrow('permission denied');
  });

  it.each([
    ['a test provider in production', { ...production, isLive: false }, 'ALLOW_TEST_PROVIDER=true'],
    ['a live provider in development', { ...development, isLive: true }, 'moves real money (live: true)'],
  ])('given %s, when it is to be used, then it is refused and nothing is marked', async (_, use, text) => {
    await expect(requireProviderMode(pool, use)).rejects.toThrow(text);
    expect(await modes()).toEqual([]);
    await requireProviderMode(pool, development);
  });
});
