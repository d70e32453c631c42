import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const NAME = 'payments_of_actor_and_unclaimed';
const SCHEMAS = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => schema);

/**
 * Finds payments of a user to an address that ended before any user claimed them. Pending ones stand in
 * `payments_of_actor_and_address`; an index of both would be taken for lists, which need the order of that one.
 */
export class IndexUnclaimedPayees1795540000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) {
      await runner.query(
        `create index ${NAME} on ${schema}.payments (actor_id, target_type, target_key)
          where target_user_id is null and status <> 'pending'`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) await runner.query(`drop index ${schema}.${NAME}`);
  }
}
