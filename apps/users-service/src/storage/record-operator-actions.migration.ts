import { createOperatorAuditTables, dropOperatorAuditTables } from '@settle/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records what operators change, with name and reason. */
export class RecordOperatorActions1795760000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOperatorAuditTables(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropOperatorAuditTables(runner);
  }
}
