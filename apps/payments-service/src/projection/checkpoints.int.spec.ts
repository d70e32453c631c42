import { createDataSource, createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { PAYMENTS_SCHEMA } from '../payments-schema.js';
import { readCheckpoint } from './checkpoints.js';
import { SeparateCheckpointPositions1795430000000 } from '../storage/migrations/separate-checkpoint-positions.migration.js';

const MOVES = 5_000;
const NAME = 'spec';

/** As every version of the projector claims its checkpoint. */
const CLAIM = `insert into checkpoints as checkpoint (name, position, fence) values ($1, 0, $2)
  on conflict (name) do update set fence = excluded.fence where checkpoint.fence <= excluded.fence
  returning position`;

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

describe('checkpoints', () => {
  let database: FreshDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await freshDatabase();
    await migrateSchema(PAYMENTS_SCHEMA, database.url);
    pool = createPool(database.url, { max: 3, name: 'spec' });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  async function claim(fence: number): Promise<number | null> {
    const { rows } = await pool.query<{ position: string }>(CLAIM, [NAME, fence]);
    return rows[0] === undefined ? null : Number(rows[0].position);
  }

  function move(from: number, to: number, fence: number) {
    return pool.query('select move_checkpoint($1, $2, $3, $4)', [NAME, from, to, fence]);
  }

  /** Moves from one position to another in steps of one, each in a transaction of its own. */
  async function moveOn(from: number, to: number): Promise<void> {
    const client = await pool.connect();
    await client.query('set synchronous_commit = off');
    await client.query(`do $$ begin
      for at in ${from}..${to - 1} loop perform move_checkpoint('${NAME}', at, at + 1, 1); commit; end loop;
    end $$`);
    client.release(true);
  }

  /** Returns how many pages a statement touched. */
  async function pagesOf(statement: string): Promise<number> {
    const client = await pool.connect();
    try {
      await client.query(`begin; ${statement}`);
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${statement}`);
      const [{ Plan: plan }] = (rows as [{ 'QUERY PLAN': [{ Plan: Plan }] }])[0]['QUERY PLAN'];
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  it('given an old snapshot, when thousands of transactions have moved the checkpoint, then another move touches as few pages as the first', async () => {
    await claim(1);
    await pool.query('vacuum analyze checkpoints, checkpoint_positions');
    const old = await pool.connect();
    await old.query('begin isolation level repeatable read; select from payments');
    await moveOn(0, 10);
    const first = await pagesOf(`select move_checkpoint('${NAME}', checkpoint_position('${NAME}'), 1000000, 1)`);
    await moveOn(10, MOVES);
    const last = await pagesOf(`select move_checkpoint('${NAME}', checkpoint_position('${NAME}'), 1000000, 1)`);
    const read = await pagesOf(`select checkpoint_position('${NAME}')`);
    old.release(true);
    expect(last).toBeLessThan(first + 10);
    expect(read).toBeLessThan(10);
    expect(await readCheckpoint(pool, NAME)).toBe(MOVES);
  });

  it('given a checkpoint that moved, when it is claimed, then the claim returns the position, and a smaller fence moves nothing', async () => {
    expect(await claim(1)).toBe(0);
    await move(0, 7, 1);
    expect(await claim(2)).toBe(7);
    expect(await claim(1)).toBeNull();
    await expect(move(7, 8, 1)).rejects.toThrow('checkpoint spec is not at 7, or not ours');
    await expect(move(6, 8, 2)).rejects.toThrow('checkpoint spec is not at 6, or not ours');
    await move(7, 8, 2);
    expect(await readCheckpoint(pool, NAME)).toBe(8);
  });

  it('given an instance of an earlier version that moved the row itself, when the checkpoint is claimed, then it is where that instance left it', async () => {
    await claim(1);
    await move(0, 3, 1);
    await pool.query('update checkpoints set position = 9 where name = $1', [NAME]);
    expect(await claim(2)).toBe(9);
    expect(await readCheckpoint(pool, NAME)).toBe(9);
    await move(9, 10, 2);
    expect(await claim(3)).toBe(10);
  });

  it('given a database of an earlier version, when it is migrated and back, then every checkpoint is where it was', async () => {
    const dataSource = await createDataSource({
      name: 'spec',
      url: database.url,
      entities: [],
    }).initialize();
    const runner = dataSource.createQueryRunner();
    const migration = new SeparateCheckpointPositions1795430000000();
    await claim(1);
    await move(0, 5, 1);
    await runner.startTransaction();
    await migration.down(runner);
    await runner.commitTransaction();
    expect((await pool.query('select position from checkpoints')).rows).toEqual([{ position: '5' }]);
    await move(5, 6, 1);
    await runner.startTransaction();
    await migration.up(runner);
    await runner.commitTransaction();
    await runner.release();
    await dataSource.destroy();
    expect(await readCheckpoint(pool, NAME)).toBe(6);
    await move(6, 7, 1);
    expect(await claim(2)).toBe(7);
  });
});
