import type { MigrationInterface, QueryRunner } from 'typeorm';

/** At most one key, made by the service that starts first and never changed. */
export class KeepSecurityLogKey1795570000000 implements MigrationInterface {
  name = 'KeepSecurityLogKey1795570000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table security_log_keys (
        is_only boolean primary key default true check (is_only),
        key bytea not null check (octet_length(key) = 32),
        made_at timestamptz not null default now())`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table security_log_keys');
  }
}
