import { createDataSource, openDataSource } from '@settle/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { freshDatabase, type FreshDatabase } from './index.js';

class CreateThings1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table things (id int primary key)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table things');
  }
}

class Fail1790000000001 implements MigrationInterface {
  up(): Promise<void> {
    return Promise.reject(new Error('no such thing'));
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

const sourceOf = (
  { url }: FreshDatabase,
  migrations = [CreateThings1790000000000] as (new () => MigrationInterface)[],
) => createDataSource({ name: 'spec', url, entities: [], migrations });

describe('openDataSource', () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(() => database.drop());

  it('given an empty database, when several instances start at once, then each migration runs once', async () => {
    const sources = await Promise.all([1, 2, 3, 4].map(() => openDataSource(sourceOf(database))));
    const [first] = sources;
    expect(await first?.query('select name from migrations')).toEqual([{ name: CreateThings1790000000000.name }]);
    await Promise.all(sources.map((source) => source.destroy()));
  });

  it('given a migration that fails, when opened, then it is closed again and the next is not held up', async () => {
    const failing = sourceOf(database, [CreateThings1790000000000, Fail1790000000001]);
    await expect(openDataSource(failing)).rejects.toThrow('no such thing');
    expect(failing.isInitialized).toBe(false);
    await (await openDataSource(sourceOf(database))).destroy();
  });
});
