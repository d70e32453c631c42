import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much a user lets an app move within a day. */
export class LimitApps1795560100000 implements MigrationInterface {
  name = 'LimitApps1795560100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table app_amounts (
        user_id bigint not null,
        app_id text not null,
        amount_per_day_cents bigint not null check (amount_per_day_cents > 0),
        primary key (user_id, app_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table app_amounts');
  }
}
