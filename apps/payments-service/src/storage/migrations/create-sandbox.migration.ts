import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';
import { moveCheckpoint } from './fence-projections.migration.js';

const { schema } = ENVIRONMENT_STORAGE.sandbox;

const LIKE_THE_REAL = ['payments', 'ledger_entries', 'fee_entries', 'open_work'];
/** Their rows change soon after they are written: room for that, as in the real ones. */
const WITH_ROOM = { checkpoints: 10, leases: 10, idempotency_keys: 60 };
/** People are the same everywhere, and are only read here. */
const SHARED = {
  known_users: 'user_id, version, record',
  known_addresses: 'kind, value, user_id, proven_at_us',
};

/**
 * The sandbox's own tables, in a schema of their own that has all that its statements name: they never find a real
 * table. A later change of a real table is to be made to its twin too; a spec holds the two schemas together.
 */
export class CreateSandbox1795350000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create schema ${schema}`);
    for (const table of LIKE_THE_REAL) {
      await runner.query(`create table ${schema}.${table} (like ${table} including all)`);
    }
    for (const [table, fillfactor] of Object.entries(WITH_ROOM)) {
      await runner.query(
        `create table ${schema}.${table} (like ${table} including all) with (fillfactor = ${fillfactor})`,
      );
    }
    await runner.query(moveCheckpoint(`${schema}.`));
    for (const [table, columns] of Object.entries(SHARED)) {
      await runner.query(`create view ${schema}.${table} as select ${columns} from ${table}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop schema ${schema} cascade`);
  }
}
