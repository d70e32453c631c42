import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notices to users, until they are sent. */
export class KeepNotices1795510400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table notices (
        id bigint generated always as identity primary key,
        kind text not null check (kind in ('email', 'phone')),
        sent_to text not null,
        subject text not null,
        text text not null,
        tries integer not null default 0,
        next_try_at timestamptz not null default now(),
        created_at timestamptz not null default now()
      )`);
    await runner.query('create index notices_due on notices (kind, next_try_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table notices');
  }
}
