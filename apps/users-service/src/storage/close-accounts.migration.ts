import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an account was closed, in microseconds since 1970; null: it is open. The row of a closed one holds nothing personal. */
export class CloseAccounts1795871000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table users add column closed_at_us bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table users drop column closed_at_us');
  }
}
