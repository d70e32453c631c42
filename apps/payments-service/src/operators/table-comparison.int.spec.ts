import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool, PoolClient } from 'pg';
import { tablesOf } from '../read-models/registry.js';
import { PAYMENTS_SCHEMA } from '../payments-schema.js';
import { rebuildSchemaOf } from './orphaned-schemas.js';
import { compareTables } from './table-comparison.js';

const REBUILT = rebuildSchemaOf('public');
const WORK = tablesOf(['open-work'])[0];

describe('a comparison of two tables', () => {
  let database: FreshDatabase;
  let pool: Pool;
  let sides: readonly [PoolClient, PoolClient];

  beforeEach(async () => {
    database = await freshDatabase();
    await migrateSchema(PAYMENTS_SCHEMA, database.url);
    pool = createPool(database.url, { max: 3, name: 'spec' });
    await pool.query(`create schema ${REBUILT}; create table ${REBUILT}.open_work (like open_work including all)`);
    sides = [await pool.connect(), await pool.connect()];
  });
  afterEach(async () => {
    for (const side of sides) side.release(true);
    await pool.end();
    await database.drop();
  });

  /** Changes both tables in the same way. */
  async function onBoth(statement: (table: string) => string): Promise<void> {
    for (const schema of ['public', REBUILT]) await pool.query(statement(`${schema}.open_work`));
  }

  /** Compares as many rows at one moment as take no time: one. Between two moments both tables change. */
  async function compared() {
    const [left, right] = sides;
    if (WORK === undefined) throw new RangeError();
    let [moments, snapshots] = [0, 0];
    const atOneMoment = async <Result>(part: () => Promise<Result>) => {
      for (const side of sides) await side.query('begin isolation level repeatable read read only');
      const result = await part();
      for (const side of sides) await side.query('commit');
      moments += 1;
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and backend_xmin is not null
           and pid <> pg_backend_pid() and application_name = 'spec'`,
      );
      snapshots = Math.max(snapshots, rowCount ?? 0);
      await onBoth((table) => `insert into ${table} values (${100 + moments}, 'finish', 1, 1)`);
      await onBoth((table) => `delete from ${table} where payment_id = ${moments}`);
      if (moments > 50) await onBoth((table) => `delete from ${table} where payment_id > 100`);
      return result;
    };
    const comparison = await compareTables(WORK, {
      live: { client: left, schema: 'public' },
      rebuilt: { client: right, schema: REBUILT },
      atOneMoment,
      partMs: 0,
    });
    return { comparison, moments, snapshots };
  }

  it('given tables that both change between two parts, when they are compared, then nothing differs and no snapshot outlives its part', async () => {
    await onBoth((table) => `insert into ${table} select n, 'expire', 1, 1 from generate_series(1, 40) n`);
    const { comparison, moments, snapshots } = await compared();
    expect(comparison).toMatchObject({ differences: 0, first: null });
    expect(comparison.live).toEqual(comparison.rebuilt);
    expect(moments).toBeGreaterThan(40);
    expect(snapshots).toBe(0);
  });

  it('given rows that one side has alone or that differ, when compared part by part, then each is counted once', async () => {
    await onBoth((table) => `insert into ${table} select n, 'expire', 1, 1 from generate_series(1, 40) n`);
    await pool.query(`delete from open_work where payment_id = 20; update open_work set owner_id = 2 where payment_id = 30;
      delete from ${REBUILT}.open_work where payment_id = 40`);
    const { comparison } = await compared();
    expect(comparison).toMatchObject({ differences: 3, first: 'open_work 20:expire: missing in the live table' });
  });
});
