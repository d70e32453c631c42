import { DEMO_APP, DEMO_USERS } from '@settle/contracts';
import { createDatabaseModeTable, dropDatabaseModeTable } from '@settle/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const DEMO_IDS = Object.values(DEMO_USERS)
  .map(({ id }) => id)
  .join(', ');

/** Marks whether the passwords and apps are of a trial: its people, its app, or codes on the mailbox page. */
export class MarkDatabaseMode1795530000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createDatabaseModeTable(runner, {
      isInUse: 'exists (select from credentials) or exists (select from apps)',
      isFromTrial: `exists (select from credentials where user_id in (${DEMO_IDS}))
        or exists (select from apps where client_id = '${DEMO_APP.clientId}') or exists (select from mailbox_messages)`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropDatabaseModeTable(runner);
  }
}
