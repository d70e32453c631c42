import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const SCHEMAS = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => schema);
const COLUMNS = {
  charge_key: 'text',
  begin_before_us: 'bigint',
  repayment_key: 'text',
  reversal_id: 'text',
  funding_id: 'text',
};
const CHECK = 'ledger_entries_balance_cents_check';

/**
 * The journal gets what the steps of charges, repayments, reversals, deposits and withdrawals are rebuilt from. A reversal
 * may leave a wallet below zero, so the check goes. The new columns have no default, so that no row is rewritten.
 */
export class KeepFundingKeys1795700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const columns = Object.entries(COLUMNS).map(([name, type]) => `add column ${name} ${type}`);
    for (const schema of SCHEMAS) {
      await runner.query(
        `alter table ${schema}.ledger_entries ${columns.join(', ')}, drop constraint if exists ${CHECK}`,
      );
      await runner.query(
        `create index ledger_entries_of_funding on ${schema}.ledger_entries (funding_id) where funding_id is not null`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    const columns = Object.keys(COLUMNS).map((name) => `drop column ${name}`);
    for (const schema of SCHEMAS) {
      // Dropping the column drops its index. Rows below zero may be there, so only new ones are checked.
      await runner.query(
        `alter table ${schema}.ledger_entries ${columns.join(', ')},
          add constraint ${CHECK} check (balance_cents >= 0) not valid`,
      );
    }
  }
}
