import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const { live, sandbox } = ENVIRONMENT_STORAGE;
const SIGNATURE = 'resolves_user(actor_id bigint, user_id bigint)';

/** Inlined by the server, so that statements of the live environment are planned as if it were not there. */
const ALWAYS = `create function ${live.schema}.${SIGNATURE} returns boolean language sql immutable as 'select true'`;
const FRIENDS = `create function ${sandbox.schema}.${SIGNATURE} returns boolean language sql stable as $$
  select exists (select from ${live.schema}.known_pairs p
    where p.low = least($1, $2) and p.high = greatest($1, $2) and (p.record ->> 'areFriends')::boolean) $$`;

/** Whether a payment that a user sends to an address finds its owner: always, and in the sandbox among friends only. */
export class ResolveFriendsInSandbox1795540100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ALWAYS);
    await runner.query(FRIENDS);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { schema } of [live, sandbox]) await runner.query(`drop function ${schema}.${SIGNATURE}`);
  }
}
