import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

/** Moves a checkpoint and notes the event up to which its projection has read. Raises as `move_checkpoint` without it. */
const moveCheckpointWithEvent = (schema: string): string => `
  create or replace function ${schema}.move_checkpoint(projection text, from_position bigint, to_position bigint,
    by_fence bigint, last_stream text, last_revision bigint, last_id text, last_position bigint)
  returns void language plpgsql set enable_seqscan = off as $$
  begin
    with held as (
      select from ${schema}.checkpoints where name = projection and fence = by_fence for no key update
    )
    update ${schema}.checkpoint_positions set position = to_position, event_stream = last_stream,
      event_revision = last_revision, event_id = last_id, event_position = last_position
    where name = projection and position = from_position and exists (select from held);
    if not found then raise exception 'checkpoint % is not at %, or not ours', projection, from_position; end if;
  end $$`;

/** What moves a checkpoint together with its event, in a schema whose tables are there. @param schema a name of ours */
export const checkpointEventRoutines = (schema: string): readonly string[] => [moveCheckpointWithEvent(schema)];

/**
 * The checkpoint names the newest event that its projection has read, so that a log that lost it is noticed. Instances
 * of an earlier version move the position alone: the event is then an older one, which the log must hold as well.
 */
export class KeepCheckpointEvents1795445000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const { schema } of Object.values(ENVIRONMENT_STORAGE)) {
      await runner.query(`alter table ${schema}.checkpoint_positions add column event_stream text,
        add column event_revision bigint, add column event_id text, add column event_position bigint`);
      for (const statement of checkpointEventRoutines(schema)) await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { schema } of Object.values(ENVIRONMENT_STORAGE)) {
      await runner.query(
        `drop function ${schema}.move_checkpoint(text, bigint, bigint, bigint, text, bigint, text, bigint)`,
      );
      await runner.query(`alter table ${schema}.checkpoint_positions drop column event_stream,
        drop column event_revision, drop column event_id, drop column event_position`);
    }
  }
}
