import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an operator may stop: apps, and reading of an account. Nothing that is there is stopped. */
export class SuspendAppsAndAccounts1795570100000 implements MigrationInterface {
  name = 'SuspendAppsAndAccounts1795570100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table apps add column suspended_at timestamptz');
    await runner.query('alter table credentials add column reading_frozen_at timestamptz');
    // Tokens that still live, and about which gateways are to ask anew. Rows go once they have been published.
    await runner.query(`
      create table token_rechecks (
        id bigint primary key generated always as identity,
        sha256 bytea not null
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table token_rechecks');
    await runner.query('alter table credentials drop column reading_frozen_at');
    await runner.query('alter table apps drop column suspended_at');
  }
}
