import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Friend requests. Other services do not need them, so they are not part of the published records. */
export class AddFriendRequests1795340000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table friend_requests (
        from_id bigint not null references users (id),
        to_id bigint not null references users (id),
        primary key (from_id, to_id),
        check (from_id <> to_id)
      )`);
    await runner.query('create index friend_requests_by_asked on friend_requests (to_id, from_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table friend_requests');
  }
}
