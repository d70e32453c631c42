import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `create table data_keys (
    user_id bigint primary key,
    wrapped_with text,
    wrapped bytea,
    made_at timestamptz not null default now(),
    destroyed_at timestamptz,
    check ((wrapped is null) = (wrapped_with is null) and (wrapped is null) = (destroyed_at is not null))
  )`,
  'create index data_keys_by_wrapping_key on data_keys (wrapped_with, user_id)',
  // Payments of any environment. Their ids are of no other payment.
  'create table erased_addresses (payment_id bigint primary key)',
  // One row, once texts are encrypted.
  `create table text_encryption (
    is_only boolean primary key default true check (is_only),
    begun_at timestamptz not null default now()
  )`,
  // Where there are payments, processes of the version before may run, which cannot read encrypted texts.
  `insert into text_encryption select
   where not exists (select from payments) and not exists (select from sandbox.payments)`,
];

/**
 * The keys with which notes and addresses in events are encrypted, wrapped; without a key, that the account is closed. And
 * the payments whose address was that of a closed account, which another user wrote.
 */
export class CreateDataKeys1795870000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table text_encryption, erased_addresses, data_keys');
  }
}
