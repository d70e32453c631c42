import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Wrong codes count for the address that they were sent to, in however many browsers and codes they were typed. */
export class CountWrongCodes1795350000000 implements MigrationInterface {
  name = 'CountWrongCodes1795350000000';

  async up(runner: QueryRunner): Promise<void> {
    // Codes of instances that are still of the version before count together; they are over in ten minutes.
    await runner.query(`alter table codes add column address_sha256 bytea not null default ''`);
    await runner.query(`
      create table wrong_codes (
        address_sha256 bytea primary key,
        wrong integer not null,
        since timestamptz not null
      )`);
    await runner.query('create index wrong_codes_by_since on wrong_codes (since)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table wrong_codes');
    await runner.query('alter table codes drop column address_sha256');
  }
}
