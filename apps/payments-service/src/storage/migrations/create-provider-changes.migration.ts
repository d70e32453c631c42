import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How far the provider's list of changes is read: one row. `read_epoch` is the epoch of `public_event_epoch`, which a restore
 * raises, under which the list was last read to its end.
 */
export class CreateProviderChanges1795720020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table provider_changes (cursor text, read_epoch bigint, fence bigint not null)');
    await runner.query('create unique index provider_changes_is_one on provider_changes ((true))');
    await runner.query('insert into provider_changes (fence) values (0)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table provider_changes');
  }
}
