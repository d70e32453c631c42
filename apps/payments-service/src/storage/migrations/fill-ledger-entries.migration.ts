import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The epoch under which the topic of ledger entries was filled. A restore that the topic of payment events has yet to follow
 * is one that this topic has to follow as well.
 */
export class FillLedgerEntries1795820000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table public_event_epoch add column entries_filled_epoch int not null default 1');
    await runner.query('update public_event_epoch set entries_filled_epoch = filled_epoch');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table public_event_epoch drop column entries_filled_epoch');
  }
}
