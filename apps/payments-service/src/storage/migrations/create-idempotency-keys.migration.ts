import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table of `Idempotency-Key`. Rows are changed once or twice, soon after they are written: room for that. */
export class CreateIdempotencyKeys1795320000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table idempotency_keys (
        user_id bigint not null,
        app_id text not null,
        environment text not null,
        key text not null,
        request_hash text not null,
        command_id uuid not null,
        payment_id bigint not null,
        created_at_us bigint not null,
        is_taken_over boolean not null,
        answer json,
        primary key (user_id, app_id, environment, key)
      ) with (fillfactor = 60)`);
    await runner.query('create index idempotency_keys_by_age on idempotency_keys (created_at_us)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table idempotency_keys');
  }
}
