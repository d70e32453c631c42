import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase } from '@settle/testing';
import { PAYMENTS_SCHEMA } from '../payments-schema.js';
import { ENVIRONMENT_STORAGE } from '../storage/environments.js';
import { READ_MODEL_NAMES, tablesOf } from './registry.js';

const COLUMNS = `
  select a.attname as name, replace(format_type(a.atttypid, a.atttypmod), 'integer', 'int') as type,
    coalesce((select a.attnum = any(i.indkey) from pg_index i where i.indrelid = a.attrelid and i.indisprimary), false) as is_key
  from pg_attribute a where a.attrelid = $1::text::regclass and a.attnum > 0 and not a.attisdropped`;

describe('the descriptions of tables of read models', () => {
  it('given a migrated database, when they are compared with its tables, then names, types and keys of all columns are equal', async () => {
    const database = await freshDatabase();
    await migrateSchema(PAYMENTS_SCHEMA, database.url);
    const pool = createPool(database.url, { max: 1, name: 'spec' });
    for (const { schema } of Object.values(ENVIRONMENT_STORAGE)) {
      for (const { name, types, key } of tablesOf(READ_MODEL_NAMES)) {
        const { rows } = await pool.query<{ name: string; type: string; is_key: boolean }>(COLUMNS, [
          `${schema}.${name}`,
        ]);
        expect(Object.fromEntries(rows.map((row) => [row.name, row.type]))).toEqual(types);
        const keys = rows.filter((row) => row.is_key).map((row) => row.name);
        expect(keys.sort()).toEqual(Object.keys(key).sort());
      }
    }
    await pool.end();
    await database.drop();
  });
});
