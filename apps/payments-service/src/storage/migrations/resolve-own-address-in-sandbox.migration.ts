import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const { live, sandbox } = ENVIRONMENT_STORAGE;
const among = (
  users: string,
) => `create or replace function ${sandbox.schema}.resolves_user(actor_id bigint, user_id bigint)
  returns boolean language sql stable as $$
  select ${users} exists (select from ${live.schema}.known_pairs p
    where p.low = least($1, $2) and p.high = greatest($1, $2) and (p.record ->> 'areFriends')::boolean) $$`;

/** In the sandbox a payment to an address finds its owner among the friends of its actor, and the actor, too. */
export class ResolveOwnAddressInSandbox1795890000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(among('$1 = $2 or'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(among(''));
  }
}
