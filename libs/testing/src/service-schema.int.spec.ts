import { checkSchema, createPool, migrateSchema, type ServiceSchema } from '@settle/postgres';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { eventually, freshDatabase, type FreshDatabase } from './index.js';

class CreateThings1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table things (id bigint generated always as identity primary key, name text)');
    await runner.query('create table journal (id bigint generated always as identity primary key, entry text)');
  }

  async down(): Promise<void> {}
}

class AddMore1790000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create schema aside');
    await runner.query('create table aside.more (id int primary key)');
  }

  async down(): Promise<void> {}
}

class Fail1790000000002 implements MigrationInterface {
  up(): Promise<void> {
    return Promise.reject(new Error('no such thing'));
  }

  async down(): Promise<void> {}
}

/** A migration that freezes its process half-way. */
class Freeze1790000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table half_done (id int)');
    await new Promise(() => undefined);
  }

  async down(): Promise<void> {}
}

const schemaOf = (...migrations: (new () => MigrationInterface)[]): ServiceSchema => ({
  service: 'users-service',
  migrations,
  appendOnlyTables: ['journal'],
});
const SCHEMA = schemaOf(CreateThings1790000000000);
const NEXT_SCHEMA = schemaOf(CreateThings1790000000000, AddMore1790000000001);

let database: FreshDatabase;
let service: pg.Client;
beforeEach(async () => {
  database = await freshDatabase();
  service = new pg.Client(database.url);
  service.on('error', () => undefined);
  await service.connect();
});
afterEach(async () => {
  await service.end();
  await database.drop();
});

describe('migrateSchema', () => {
  it('given an empty database, when several processes migrate it at once, then each migration runs once', async () => {
    const ran = await Promise.all([1, 2, 3, 4].map(() => migrateSchema(SCHEMA, database.url)));
    expect(ran.flat()).toEqual([CreateThings1790000000000.name]);
    expect((await service.query('select name from migrations')).rows).toEqual([
      { name: CreateThings1790000000000.name },
    ]);
  });

  it('given a migration that fails, when it runs, then earlier ones stay and the next run is not blocked', async () => {
    const failing = schemaOf(CreateThings1790000000000, Fail1790000000002);
    await expect(migrateSchema(failing, database.url)).rejects.toThrow('no such thing');
    expect(await migrateSchema(NEXT_SCHEMA, database.url)).toEqual([AddMore1790000000001.name]);
  });

  it('given a migration whose process is frozen, when another one runs, then it takes over and finds nothing half done', async () => {
    const frozen = migrateSchema(schemaOf(Freeze1790000000003), database.url).catch(() => undefined);
    const isFrozen = `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`;
    await eventually(async () => expect((await service.query(isFrozen)).rowCount).toBe(1));
    expect(await migrateSchema(SCHEMA, database.url)).toEqual([CreateThings1790000000000.name]);
    expect((await service.query(`select to_regclass('half_done') as found`)).rows).toEqual([{ found: null }]);
    void frozen;
  });

  it('given a role of its own, when it migrates, then the service role reads and writes rows and changes no table', async () => {
    const migrationsUrl = await database.separateMigrations();
    await migrateSchema(SCHEMA, migrationsUrl);
    await migrateSchema(NEXT_SCHEMA, migrationsUrl);
    await service.query(`insert into things (name) values ('one'); select lastval();
      update things set name = 'two'; delete from things; insert into aside.more values (1)`);
    for (const refused of [
      'create table mine (id int)',
      'alter table things add column more int',
      'truncate things',
      'drop table aside.more',
      `insert into migrations (timestamp, name) values (1, 'x')`,
    ]) {
      await expect(service.query(refused)).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  it('given an append-only table, when the service role writes to it, then it can add rows and change none', async () => {
    await migrateSchema(SCHEMA, await database.separateMigrations());
    await service.query(`insert into journal (entry) values ('one'); select lastval()`);
    for (const refused of [
      `update journal set entry = 'two'`,
      'delete from journal',
      'truncate journal',
      'select from journal for update',
    ]) {
      await expect(service.query(refused)).rejects.toThrow('permission denied for table journal');
    }
    expect((await service.query('select entry from journal')).rows).toEqual([{ entry: 'one' }]);
  });

  it('given tables that the service role created, when the other role migrates them, then it owns them and rows stay', async () => {
    await migrateSchema(SCHEMA, database.url);
    await service.query(`insert into journal (entry) values ('one'); update journal set entry = 'before'`);
    const migrationsUrl = await database.separateMigrations();
    expect(await migrateSchema(NEXT_SCHEMA, migrationsUrl)).toEqual([AddMore1790000000001.name]);
    const { rows } = await service.query(
      `select distinct tableowner as owner from pg_tables where schemaname in ('public', 'aside')`,
    );
    expect(rows).toEqual([{ owner: new URL(migrationsUrl).username }]);
    expect((await service.query('select entry from journal')).rows).toEqual([{ entry: 'before' }]);
    await expect(service.query(`update journal set entry = 'after'`)).rejects.toThrow('permission denied');
    await service.query(`insert into journal (entry) values ('after'); insert into things (name) values ('more')`);
    expect(await migrateSchema(NEXT_SCHEMA, migrationsUrl)).toEqual([]);
  });

  it('given a reader that locks a table, when its owner changes, then other readers are served meanwhile and it changes afterwards', async () => {
    await migrateSchema(SCHEMA, database.url);
    const reader = new pg.Client(database.url);
    await reader.connect();
    await reader.query('begin; select from things');
    const migrating = migrateSchema(SCHEMA, await database.separateMigrations());
    let isDone = false;
    void migrating.then(() => (isDone = true));
    const triesToLock = `select from pg_locks where not granted and relation = 'things'::regclass`;
    await eventually(async () => expect((await service.query(triesToLock)).rowCount).toBe(1));
    await service.query(`insert into things (name) values ('meanwhile')`);
    expect(isDone).toBe(false);
    await reader.query('commit');
    await reader.end();
    await migrating;
    await expect(service.query('truncate things')).rejects.toThrow('permission denied');
  });

  it('given a role without the rights to migrate, when it migrates, then one line names the command that a superuser must run', async () => {
    await migrateSchema(SCHEMA, database.url);
    const other = await freshDatabase();
    const name = new URL(database.url).pathname.slice(1);
    const stranger = new URL(other.url);
    await service.query(`grant connect on database ${name} to ${stranger.username}`);
    stranger.pathname = `/${name}`;
    await expect(migrateSchema(SCHEMA, stranger.href)).rejects.toThrow(
      `grant "${name}" to "${stranger.username}"; alter database "${name}" owner to "${stranger.username}";`,
    );
    await service.query(`revoke connect on database ${name} from ${stranger.username}`);
    await other.drop();
  });
});

describe('checkSchema', () => {
  it('given an older database, when a service checks it, then one line names the command to run', async () => {
    const pool = createPool(database.url, { max: 1, name: 'spec' });
    const problem = 'run `node apps/users-service/dist/migrate.js` with MIGRATIONS_DATABASE_URL';
    await expect(checkSchema(SCHEMA, pool)).rejects.toThrow(problem);
    const migrationsUrl = await database.separateMigrations();
    await migrateSchema(SCHEMA, migrationsUrl);
    await expect(checkSchema(NEXT_SCHEMA, pool)).rejects.toThrow(problem);
    await migrateSchema(NEXT_SCHEMA, migrationsUrl);
    await checkSchema(NEXT_SCHEMA, pool);
    // A newer release has migrated this database.
    await checkSchema(SCHEMA, pool);
    await pool.end();
  });
});
