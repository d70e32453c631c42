import {
  DATABASE_MODE_TABLE,
  alignDerivedModes,
  createDatabaseModeTable,
  createPool,
  migrateSchema,
  requireDatabaseMode,
  type ServiceSchema,
} from '@settle/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { freshDatabase, type FreshDatabase } from './index.js';

class CreateThings1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table things (name text)');
  }

  async down(): Promise<void> {}
}

class MarkMode1790000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createDatabaseModeTable(runner, {
      isInUse: 'exists (select from things)',
      isFromTrial: `exists (select from things where name = 'test card')`,
    });
  }

  async down(): Promise<void> {}
}

const OLD: ServiceSchema = { service: 'users-service', migrations: [CreateThings1790000000000] };
const SCHEMA: ServiceSchema = {
  ...OLD,
  migrations: [CreateThings1790000000000, MarkMode1790000000001],
  appendOnlyTables: [DATABASE_MODE_TABLE],
};
const opened: FreshDatabase[] = [];
afterEach(() => Promise.all(opened.splice(0).map((database) => database.drop())));

/** Returns a migrated database. With `things` it was in use before databases had a mark. */
async function migrated(things: readonly string[] = []) {
  const database = await freshDatabase();
  opened.push(database);
  const migrations = await database.separateMigrations();
  const pool = createPool(database.url, { max: 2, name: 'spec' });
  await migrateSchema(OLD, migrations);
  for (const name of things) await pool.query('insert into things values ($1)', [name]);
  await migrateSchema(SCHEMA, migrations);
  return {
    migrations,
    pool,
    start: (nodeEnv: 'development' | 'test' | 'production') => requireDatabaseMode(pool, nodeEnv),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

describe('the mode of a database', () => {
  // Shows demo-15
  it('given a new database, when two services start in one mode, then it is marked, and the other mode is rejected with instructions', async () => {
    await using trial = await migrated();
    await Promise.all([trial.start('development'), trial.start('test')]);
    await expect(trial.start('production')).rejects.toThrow(
      /^NODE_ENV: "production" on a database that is marked "development"; .*take a new DATA_DIR or new databases/,
    );
    await using real = await migrated();
    await real.start('production');
    await expect(real.start('development')).rejects.toThrow(
      /^NODE_ENV: "development" on a database that is marked "production"; start with NODE_ENV=production/,
    );
    await real.start('production');
  });

  // Shows demo-15
  it.each([
    ['test money', ['friend', 'test card'], 'development', 'production'],
    ['no row of a trial', ['friend'], 'production', 'development'],
  ] as const)(
    'given a database with %s and no mark, when it is migrated, then its mode follows from that',
    async (...row) => {
      const [, things, own, other] = row;
      await using database = await migrated(things);
      await expect(database.start(other)).rejects.toThrow(/^NODE_ENV: /);
      await database.start(own);
    },
  );

  it('given the role of a service, when it changes the mark, then the database rejects it', async () => {
    await using database = await migrated();
    await database.start('development');
    for (const statement of [`update database_mode set mode = 'production'`, 'delete from database_mode']) {
      await expect(database.pool.query(statement)).rejects.toThrow('permission denied');
    }
  });

  it('given databases without a mark of which one held test money, when they are aligned, then all are marked as a trial except those that a start has marked', async () => {
    await using money = await migrated(['test card']);
    await using users = await migrated(['friend']);
    await using real = await migrated();
    await real.start('production');
    await alignDerivedModes([money.migrations, users.migrations, real.migrations]);
    await Promise.all([money.start('development'), users.start('development'), real.start('production')]);
    await expect(real.start('development')).rejects.toThrow(/^NODE_ENV: /);
  });
});
