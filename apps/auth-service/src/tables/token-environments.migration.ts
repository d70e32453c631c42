import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A token may work in one environment only. Null: in every one, as all tokens from before. */
export class TokenEnvironments1795520100000 implements MigrationInterface {
  name = 'TokenEnvironments1795520100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table tokens add column environment text check (environment in ('live', 'sandbox'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Without the column they would move real money.
    await runner.query('delete from tokens where environment is not null');
    await runner.query('alter table tokens drop column environment');
  }
}
