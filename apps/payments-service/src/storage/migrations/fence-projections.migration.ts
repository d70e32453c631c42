import { createLeasesTable, dropLeasesTable } from '@settle/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The function that moves a checkpoint under a fence. @param schema where, with a dot; empty: in the search path */
export const moveCheckpoint = (schema = ''): string => `
  create function ${schema}move_checkpoint(projection text, from_position bigint, to_position bigint, by_fence bigint)
  returns void language plpgsql as $$
  begin
    update checkpoints set position = to_position
    where name = projection and position = from_position and fence = by_fence;
    if not found then raise exception 'checkpoint % is not at %, or not ours', projection, from_position; end if;
  end $$`;

const MOVE_UNFENCED = `
  create function move_checkpoint(projection text, from_position bigint, to_position bigint)
  returns void language plpgsql as $$
  begin
    update checkpoints set position = to_position where name = projection and position = from_position;
    if not found then raise exception 'checkpoint % is not at %', projection, from_position; end if;
  end $$`;

/** The instance that holds the lease projects; a former holder can no longer write. */
export class FenceProjections1795300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createLeasesTable(runner);
    await runner.query('alter table checkpoints add column fence bigint not null default 0');
    await runner.query('drop function move_checkpoint(text, bigint, bigint)');
    // Raises when another projector has moved the checkpoint, or may: then these rows are not ours to write.
    await runner.query(moveCheckpoint());
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function move_checkpoint(text, bigint, bigint, bigint)');
    await runner.query(MOVE_UNFENCED);
    await runner.query('alter table checkpoints drop column fence');
    await dropLeasesTable(runner);
  }
}
