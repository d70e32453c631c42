import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Has a row while the records of all users must be published again. */
export class AddDueAnnouncement1795310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table due_announcement (is_due boolean primary key default true check (is_due))');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table due_announcement');
  }
}
