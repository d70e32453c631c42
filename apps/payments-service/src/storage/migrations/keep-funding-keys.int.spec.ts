import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase } from '@settle/testing';
import { PAYMENTS_SCHEMA } from '../../payments-schema.js';
import { KeepFundingKeys1795700000000 } from './keep-funding-keys.migration.js';

const SCHEMAS = ['public', 'sandbox'];
const BEFORE = {
  ...PAYMENTS_SCHEMA,
  migrations: PAYMENTS_SCHEMA.migrations.filter((migration) => migration !== KeepFundingKeys1795700000000),
};
const line = (schema: string, revision: number, balanceCents: number) =>
  `insert into ${schema}.ledger_entries (wallet_id, revision, event_type, debit_account, credit_account, amount_cents,
    balance_cents) values (7, ${revision}, 'WalletOpened', 'wallet:7', 'wallet:7', 0, ${balanceCents})`;

describe('the migration of the journal for funding', () => {
  it.each(SCHEMAS)(
    'given a journal in schema %s from before it, when migrated, then its lines stay as they are and a balance may be negative',
    async (schema) => {
      const database = await freshDatabase();
      await migrateSchema(BEFORE, database.url);
      const pool = createPool(database.url, { max: 1, name: 'spec' });
      await pool.query(line(schema, 0, 5));
      await expect(pool.query(line(schema, 1, -5))).rejects.toThrow(/check constraint/);
      const stored = `select ctid, xmin, wallet_id, balance_cents from ${schema}.ledger_entries where revision = 0`;
      const before = await pool.query<object>(stored);

      await migrateSchema(PAYMENTS_SCHEMA, database.url);
      // The same version of the row: it was not rewritten.
      expect((await pool.query<object>(stored)).rows).toEqual(before.rows);
      await pool.query(line(schema, 1, -5));
      const { rows } = await pool.query<{ plan: string }>(
        `select indexdef as plan from pg_indexes where schemaname = $1 and indexname = 'ledger_entries_of_funding'`,
        [schema],
      );
      expect(rows).toHaveLength(1);
      await pool.end();
      await database.drop();
    },
  );
});
