import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The epoch under which payment events are published, and the one that the topic was last filled under. Everything that
 * was published before this table existed belongs to epoch 1.
 */
export class CreatePublicEventEpoch1795410000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table public_event_epoch (epoch int not null, filled_epoch int not null)');
    await runner.query('create unique index public_event_epoch_is_one on public_event_epoch ((true))');
    await runner.query('insert into public_event_epoch (epoch, filled_epoch) values (1, 1)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table public_event_epoch');
  }
}
