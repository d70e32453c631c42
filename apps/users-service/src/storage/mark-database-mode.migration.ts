import { DEMO_USERS } from '@settle/contracts';
import { createDatabaseModeTable, dropDatabaseModeTable } from '@settle/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const DEMO_IDS = Object.values(DEMO_USERS)
  .map(({ id }) => id)
  .join(', ');

/** Marks whether the people are of a trial: those of the demo, or one with a test card. */
export class MarkDatabaseMode1795530000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createDatabaseModeTable(runner, {
      isInUse: 'exists (select from users)',
      isFromTrial: `exists (select from users where id in (${DEMO_IDS}) or funding_source_id ~ '^(test|demo)-')`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropDatabaseModeTable(runner);
  }
}
