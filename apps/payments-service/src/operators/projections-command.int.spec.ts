import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import { PAYMENTS_SCHEMA } from '../payments-schema.js';
import { runCommandProcess } from '../../test/operators/command-process.fixture.js';

describe('the command that rebuilds the read models', () => {
  let database: FreshDatabase;
  let migrationsUrl: string;
  beforeEach(async () => {
    database = await freshDatabase();
    migrationsUrl = await database.separateMigrations();
    await migrateSchema(PAYMENTS_SCHEMA, migrationsUrl);
  });
  afterEach(() => database.drop());

  const rebuild = (env: Readonly<Record<string, string>>) =>
    runCommandProcess('projections-command.js', ['rebuild', 'all'], { DATABASE_URL: database.url, ...env });

  /** The ids of the tables: a switch to rebuilt ones changes them. */
  async function tableIds(): Promise<unknown[]> {
    const pool = createPool(database.url, { max: 1, name: 'spec' });
    try {
      const tables = `select oid::text, relname from pg_class where relkind = 'r' and relowner <> 10 order by oid`;
      return (await pool.query<object>(tables)).rows;
    } finally {
      await pool.end();
    }
  }

  it('given no MIGRATIONS_DATABASE_URL, when a rebuild is started as the role of the service, then one line names the setting and no table changes', async () => {
    const before = await tableIds();
    expect(before.length).toBeGreaterThan(0);
    expect(await rebuild({})).toEqual({
      code: 2,
      stdout: '',
      stderr: 'projections: MIGRATIONS_DATABASE_URL: a rebuild changes tables, as the role that owns them\n',
    });
    expect(await tableIds()).toEqual(before);
  });

  it('given MIGRATIONS_DATABASE_URL, when a rebuild is started, then the rebuilt tables take the place of the old ones', async () => {
    const before = await tableIds();
    const { code, stdout } = await rebuild({ MIGRATIONS_DATABASE_URL: migrationsUrl });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Switched at position /m)]);
    expect(await tableIds()).not.toEqual(before);
  });
});
