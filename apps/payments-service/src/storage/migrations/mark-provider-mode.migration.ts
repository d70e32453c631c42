import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One row, once a payment provider was used: whether it moves real money. The service can insert it and not change it. */
export class MarkProviderMode1795720010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table provider_mode (
        mode text not null check (mode in ('test', 'live')),
        marked_at timestamptz not null default now()
      )`);
    await runner.query('create unique index provider_mode_is_one on provider_mode ((true))');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table provider_mode');
  }
}
