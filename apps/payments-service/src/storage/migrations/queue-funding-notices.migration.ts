import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const SCHEMAS = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => schema);

/**
 * The journal gets the time from which the owner is to be notified of a line, empty once that is done. The new column has no
 * default, so that no row is rewritten.
 */
export class QueueFundingNotices1795880000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) {
      await runner.query(`alter table ${schema}.ledger_entries add column notice_due_us bigint`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) await runner.query(`alter table ${schema}.ledger_entries drop column notice_due_us`);
  }
}

/** In a transaction of its own: the table can be read while the index is built, which it could not after `alter table`. */
export class IndexFundingNotices1795880010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) {
      await runner.query(
        `create index ledger_entries_with_notice on ${schema}.ledger_entries (notice_due_us)
          where notice_due_us is not null`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) await runner.query(`drop index ${schema}.ledger_entries_with_notice`);
  }
}
