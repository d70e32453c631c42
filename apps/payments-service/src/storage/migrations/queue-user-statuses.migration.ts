import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Parts of a record that say nothing about the status of its user. */
const WITHOUT_STATUS = `array['epoch', 'version', 'card', 'addresses']`;

/**
 * Queues the users whose status the event log may lack, all of them at first, and stores the epoch under which the topic of
 * users' lifecycle was filled. A trigger queues them, so that no release can write the user replica without it. Ids are not
 * counted: a restored counter could be behind the rows.
 */
export class QueueUserStatuses1795840000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table public_event_epoch add column lifecycle_filled_epoch int not null default 1');
    await runner.query('update public_event_epoch set lifecycle_filled_epoch = filled_epoch');
    await runner.query(
      'create table due_user_statuses (id uuid primary key default gen_random_uuid(), user_id bigint not null)',
    );
    await runner.query(`
      create function queue_user_status() returns trigger language plpgsql as $$
      begin
        insert into due_user_statuses (user_id) values (coalesce(new.user_id, old.user_id));
        return null;
      end $$`);
    await runner.query(`
      create trigger queue_new_user after insert or delete on known_users
      for each row execute function queue_user_status()`);
    await runner.query(`
      create trigger queue_changed_user after update on known_users for each row
      when ((old.record - ${WITHOUT_STATUS}) is distinct from (new.record - ${WITHOUT_STATUS}))
      execute function queue_user_status()`);
    await runner.query('insert into due_user_statuses (user_id) select user_id from known_users');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger queue_new_user on known_users');
    await runner.query('drop trigger queue_changed_user on known_users');
    await runner.query('drop function queue_user_status()');
    await runner.query('drop table due_user_statuses');
    await runner.query('alter table public_event_epoch drop column lifecycle_filled_epoch');
  }
}
