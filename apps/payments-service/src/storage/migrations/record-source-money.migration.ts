import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const SCHEMAS = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => schema);
const COLUMNS = { refusal_reason: 'text', refusal_code: 'text', source_us: 'bigint' };

/**
 * The journal gets the time of lines that request, refuse or bring money of a source, and why a charge was refused. The new
 * columns have no default, so that no row is rewritten; no earlier line concerns a source at a provider.
 */
export class RecordSourceMoney1795731000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const columns = Object.entries(COLUMNS).map(([name, type]) => `add column ${name} ${type}`);
    for (const schema of SCHEMAS) {
      await runner.query(`alter table ${schema}.ledger_entries ${columns.join(', ')}`);
      await runner.query(
        `create index ledger_entries_of_charges on ${schema}.ledger_entries (wallet_id, source_us)
          where source_us is not null and amount_cents = 0`,
      );
      await runner.query(
        `create index ledger_entries_from_source on ${schema}.ledger_entries (wallet_id, source_us)
          include (revision, amount_cents) where source_us is not null and amount_cents > 0`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    const columns = Object.keys(COLUMNS).map((name) => `drop column ${name}`);
    for (const schema of SCHEMAS) await runner.query(`alter table ${schema}.ledger_entries ${columns.join(', ')}`);
  }
}
