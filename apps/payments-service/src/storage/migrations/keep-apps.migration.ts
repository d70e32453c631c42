import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const TABLES = Object.values(ENVIRONMENT_STORAGE).flatMap(({ schema }) => [
  `${schema}.payments`,
  `${schema}.ledger_entries`,
]);

/**
 * The app that created a payment, and the app through which its wallet's owner approved one. Rows from before have none
 * and count for no app; a rebuild fills in what the events say.
 */
export class KeepApps1795560000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`alter table ${table} add column app_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`alter table ${table} drop column app_id`);
  }
}
