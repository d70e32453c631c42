import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much the two of a pair let each other charge unasked within a day. Trust that is there stays without a limit. */
export class LimitTrust1795560200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const side of ['low', 'high']) {
      await runner.query(`
        alter table pairs add column ${side}_amount_per_day_cents bigint check (${side}_amount_per_day_cents > 0)`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pairs drop column low_amount_per_day_cents, drop column high_amount_per_day_cents');
  }
}
