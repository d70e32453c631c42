import { createLeasesTable, dropLeasesTable } from '@settle/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Several instances: one at a time tells of revocations, and all of them count the same failed tries. */
export class ShareBetweenInstances1795320000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createLeasesTable(runner);
    // Hashed: what people type as their name is now and then a password.
    await runner.query(`
      create table sign_in_tries (
        key_sha256 bytea primary key,
        failed integer not null,
        last_at timestamptz not null
      )`);
    await runner.query('create index sign_in_tries_by_time on sign_in_tries (last_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table sign_in_tries');
    await dropLeasesTable(runner);
  }
}
