import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../../storage/environments.js';

const SCHEMAS = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => schema);

/** What users paid to and received from each other by month. The projector fills it from the first event on. */
export class CreateMonthlyActivity1795580100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) {
      // Room for new versions of rows beside the old ones: the row of a popular payee changes with each batch.
      await runner.query(`create table ${schema}.monthly_activity (
        user_id bigint not null,
        month int not null,
        counterparty_id bigint not null,
        paid_count bigint not null,
        paid_cents bigint not null,
        received_count bigint not null,
        received_cents bigint not null,
        fee_cents bigint not null,
        primary key (user_id, month, counterparty_id)
      ) with (fillfactor = 80)`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) await runner.query(`drop table ${schema}.monthly_activity`);
  }
}
