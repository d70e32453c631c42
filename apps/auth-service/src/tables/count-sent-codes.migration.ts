import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the codes that were requested within a day, for an address, an account and in total. */
export class CountSentCodes1795510300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table sent_codes (
        key_sha256 bytea primary key,
        sent integer not null,
        since timestamptz not null
      )`);
    await runner.query('create index sent_codes_by_since on sent_codes (since)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table sent_codes');
  }
}
