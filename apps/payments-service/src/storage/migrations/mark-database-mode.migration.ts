import { createDatabaseModeTable, dropDatabaseModeTable } from '@settle/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Marks whether the money is of a trial: any that came from a test card, or from the banks of demo and mailbox page. */
export class MarkDatabaseMode1795530000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createDatabaseModeTable(runner, {
      isInUse: 'exists (select from ledger_entries) or exists (select from payments)',
      isFromTrial: `exists (select from ledger_entries where source_id ~ '^(test|demo)-')`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropDatabaseModeTable(runner);
  }
}
