import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

/**
 * An index finds a position at once, however many versions of its row an old snapshot keeps; a scan of the table, which
 * a plan made for a small table would be, reads them all.
 */
const BY_INDEX = 'set enable_seqscan = off';

/** Returns how far a projection has read: 0 for one that has not begun. */
const checkpointPosition = (schema: string): string => `
  create function ${schema}.checkpoint_position(projection text) returns bigint
  language plpgsql stable ${BY_INDEX} as $$
  begin
    return coalesce((select position from ${schema}.checkpoint_positions where name = projection
      order by position desc limit 1), 0);
  end $$`;

/** Locks the checkpoint's row first. Raises when another projector has moved the checkpoint, or may move it. */
const moveCheckpoint = (schema: string): string => `
  create or replace function ${schema}.move_checkpoint(projection text, from_position bigint, to_position bigint,
    by_fence bigint)
  returns void language plpgsql ${BY_INDEX} as $$
  begin
    with held as (
      select from ${schema}.checkpoints where name = projection and fence = by_fence for no key update
    )
    update ${schema}.checkpoint_positions set position = to_position
    where name = projection and position = from_position and exists (select from held);
    if not found then raise exception 'checkpoint % is not at %, or not ours', projection, from_position; end if;
  end $$`;

/** A claim returns the position; instances of an earlier version read and write it in the claimed row alone. */
const claimPosition = (schema: string): string => `
  create function ${schema}.claim_position() returns trigger language plpgsql ${BY_INDEX} as $$
  declare
    newest bigint;
  begin
    select position into newest from ${schema}.checkpoint_positions where name = new.name
    order by position desc limit 1;
    if newest is null then
      insert into ${schema}.checkpoint_positions (name, position) values (new.name, new.position);
    elsif newest < new.position then
      update ${schema}.checkpoint_positions set position = new.position where name = new.name and position = newest;
    else
      new.position = newest;
    end if;
    return new;
  end $$`;

/** What moves and reads the checkpoints of a schema whose tables are there. @param schema a name of ours */
export const checkpointRoutines = (schema: string): readonly string[] => [
  checkpointPosition(schema),
  moveCheckpoint(schema),
  claimPosition(schema),
  `create trigger claim_new_position after insert on ${schema}.checkpoints
    for each row execute function ${schema}.claim_position()`,
  `create trigger claim_position before update of fence on ${schema}.checkpoints
    for each row execute function ${schema}.claim_position()`,
];

const MOVE_ROW = (schema: string): string => `
  create or replace function ${schema}.move_checkpoint(projection text, from_position bigint, to_position bigint,
    by_fence bigint)
  returns void language plpgsql as $$
  begin
    update ${schema}.checkpoints set position = to_position
    where name = projection and position = from_position and fence = by_fence;
    if not found then raise exception 'checkpoint % is not at %, or not ours', projection, from_position; end if;
  end $$`;

const SCHEMAS = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => schema);

/**
 * The position of a checkpoint gets a row of its own, found by name and position. A row that is found by its name alone
 * costs each transaction a look at every version that an old snapshot keeps, and there is one version for each
 * transaction. `checkpoints` keeps the fence, the lock, and the connection of the one that writes.
 */
export class SeparateCheckpointPositions1795430000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) {
      // A projector of an earlier version waits meanwhile; the next claim finds what it moves afterwards.
      await runner.query(`lock table ${schema}.checkpoints in share row exclusive mode`);
      await runner.query(`alter table ${schema}.checkpoints add column backend_pid int,
        add column backend_start timestamptz`);
      await runner.query(`create table ${schema}.checkpoint_positions (
        name text, position bigint, primary key (name, position)) with (fillfactor = 10)`);
      await runner.query(`insert into ${schema}.checkpoint_positions select name, position from ${schema}.checkpoints`);
      for (const statement of checkpointRoutines(schema)) await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) {
      await runner.query(`lock table ${schema}.checkpoints in share row exclusive mode`);
      await runner.query(`drop function ${schema}.claim_position cascade`);
      await runner.query(MOVE_ROW(schema));
      await runner.query(`update ${schema}.checkpoints set position = ${schema}.checkpoint_position(name)`);
      await runner.query(`drop function ${schema}.checkpoint_position`);
      await runner.query(`drop table ${schema}.checkpoint_positions`);
      await runner.query(`alter table ${schema}.checkpoints drop column backend_pid, drop column backend_start`);
    }
  }
}
