import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Gives this database's copy of the people a name of its own: who follows the people follows them for this copy. */
export class NamePeopleCopy1795310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table people_copy (id uuid primary key default gen_random_uuid())');
    await runner.query('create unique index people_copy_is_one on people_copy ((true))');
    await runner.query('insert into people_copy default values');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table people_copy');
  }
}
