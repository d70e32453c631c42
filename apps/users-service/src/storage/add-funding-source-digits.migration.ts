import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The digits by which users recognize their cards. Other services do not need them, so they are not published. */
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
