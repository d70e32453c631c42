import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Callbacks of the payment provider, each once by its id. `seq` gives the order in which they are handled. */
export class CreateProviderHints1795720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table provider_hints (
        id text primary key,
        seq bigint generated always as identity,
        kind text not null,
        key text not null,
        version bigint not null,
        received_at timestamptz not null,
        handled_at timestamptz
      )`);
    await runner.query('create index provider_hints_unhandled on provider_hints (seq) where handled_at is null');
    await runner.query('create index provider_hints_by_age on provider_hints (received_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table provider_hints');
  }
}
