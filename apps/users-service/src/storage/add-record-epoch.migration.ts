import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the epoch that every record carries, raised after each restore of this database; the announced address is one. */
export class AddRecordEpoch1795410000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table record_epoch (epoch bigint not null check (epoch >= 1))');
    await runner.query('create unique index record_epoch_is_one on record_epoch ((true))');
    await runner.query('insert into record_epoch values (1)');
    await runner.query(`
      delete from announced_address
      where public_url <> (select max(public_url) from announced_address)`);
    await runner.query('create unique index announced_address_is_one on announced_address ((true))');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index announced_address_is_one');
    await runner.query('drop table record_epoch');
  }
}
