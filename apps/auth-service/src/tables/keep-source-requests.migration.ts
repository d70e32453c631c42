import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Cards and accounts that users are entering at the payment provider, and when a password was last reset. */
export class KeepSourceRequests1795740000000 implements MigrationInterface {
  name = 'KeepSourceRequests1795740000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table source_requests (
        state_sha256 bytea primary key,
        session_sha256 bytea not null references sessions on delete cascade,
        source_key text not null,
        is_for_payments boolean not null,
        is_for_payouts boolean not null,
        used_at timestamptz,
        expires_at timestamptz not null
      )`);
    await runner.query('create index source_requests_by_session on source_requests (session_sha256)');
    await runner.query('create index source_requests_by_expiry on source_requests (expires_at)');
    // What users were notified of, so that a form that is sent twice notifies them once.
    await runner.query(`
      create table funding_notices (
        key text primary key,
        created_at timestamptz not null default now()
      )`);
    await runner.query('create index funding_notices_by_age on funding_notices (created_at)');
    await runner.query('alter table credentials add column password_reset_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table credentials drop column password_reset_at');
    await runner.query('drop table funding_notices, source_requests');
  }
}
