import { createLeasesTable, dropLeasesTable } from '@settle/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of several instances one publishes the outbox at a time, and one publishes all records again. */
export class CreateLeases1795420000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createLeasesTable(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropLeasesTable(runner);
  }
}
