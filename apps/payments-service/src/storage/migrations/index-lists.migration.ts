import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Equal values first, then the order of the lists: whatever filters are asked for, a page is the ends of some ranges. */
const KIND_AND_ORDER = 'status, action, created_us, id';
const UP = [
  'drop index payments_of_actor',
  'drop index payments_of_target',
  'drop index payments_of_address',
  `create index payments_of_actor on payments (actor_id, ${KIND_AND_ORDER}) where refund_of is null`,
  `create index payments_of_target on payments (target_user_id, ${KIND_AND_ORDER}) where actor_id <> target_user_id`,
  `create index payments_of_pair on payments (target_user_id, actor_id, ${KIND_AND_ORDER})
    where actor_id <> target_user_id`,
  `create index payments_of_address on payments (target_type, target_key, action, created_us, id)
    where status = 'pending' and target_user_id is null`,
  `create index payments_of_actor_and_address on payments (target_type, target_key, actor_id, action, created_us, id)
    where status = 'pending' and target_user_id is null`,
];
const DOWN = [
  'drop index payments_of_actor',
  'drop index payments_of_target',
  'drop index payments_of_pair',
  'drop index payments_of_address',
  'drop index payments_of_actor_and_address',
  'create index payments_of_actor on payments (actor_id, created_us, id)',
  'create index payments_of_target on payments (target_user_id, created_us, id)',
  `create index payments_of_address on payments (target_type, target_key, created_us, id) where target_user_id is null`,
];

/** A list costs the same however much its filters leave out. */
export class IndexLists1795340000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
