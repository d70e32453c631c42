import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By which people tell their cards apart. Nobody else needs to know, so it is no part of what is announced. */
export class AddFundingSourceDigits1795350000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table users
        add column funding_source_last_four text check (funding_source_last_four ~ '^[0-9]{4}$')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table users drop column funding_source_last_four');
  }
}
