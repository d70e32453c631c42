import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const SCHEMAS = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => schema);

/**
 * Finds money that waits, and wallets that a reversal left below zero, at a cost that depends on their number alone. Few
 * rows are in either index.
 */
export class IndexWaitingFunding1795750000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) {
      await runner.query(
        `create index funding_waiting on ${schema}.funding (created_us, kind, id) include (act, amount_cents)
          where act is not null`,
      );
      await runner.query(
        `create index ledger_entries_below_zero on ${schema}.ledger_entries (wallet_id) where balance_cents < 0`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) {
      await runner.query(`drop index ${schema}.funding_waiting, ${schema}.ledger_entries_below_zero`);
    }
  }
}
