import { LIMITS } from '@settle/config';
import type { PoolClient } from 'pg';
import { PROJECTION } from '../projections/read-model-writer.js';
import { shapeOf } from './table-copies.js';

const { switchLockMs, takeOverMs } = LIMITS.operators;

export interface SwitchOver {
  readonly live: string;
  readonly rebuilt: string;
  readonly tables: readonly string[];
  /** Has the rebuild come to exactly this position; rejects when it takes longer than `takeOverMs`. */
  readonly reach: (position: number) => Promise<void>;
}

/**
 * Puts the rebuilt tables into the place of the live ones, in one transaction: it holds the checkpoint, so that the
 * projector, whose every transaction begins by moving that, waits and writes to the new tables afterwards, under the
 * same fence. Prepared statements are planned anew by the server: the new tables have the same names and columns.
 * Readers wait until it is done, within bounds. Rejects, nothing being changed, when it takes too long.
 * @param client its connection; after a rejection of no use any more
 * @returns the position of both
 */
export async function switchOver(client: PoolClient, { live, rebuilt, tables, reach }: SwitchOver): Promise<number> {
  await client.query('begin');
  await client.query(`set local lock_timeout = ${switchLockMs}`);
  // Should this process be stopped in the middle: nobody waits for it longer.
  await client.query(`set local idle_in_transaction_session_timeout = ${2 * takeOverMs}`);
  const { rows } = await client.query<{ position: string }>(
    `select position from ${live}.checkpoints where name = $1 for update`,
    [PROJECTION],
  );
  const position = Number(rows[0]?.position ?? 0);
  await reach(position);
  await client.query(`lock table ${tables.map((name) => `${live}.${name}`).join(', ')} in access exclusive mode`);
  const [mine, theirs] = [
    await shapeOf(client, { schema: live, names: tables }),
    await shapeOf(client, { schema: rebuilt, names: tables }),
  ];
  if (mine !== theirs) throw new ShapeChanged();
  for (const name of tables) {
    await client.query(`drop table ${live}.${name}`);
    await client.query(`alter table ${rebuilt}.${name} set schema ${live}`);
  }
  await client.query('commit');
  return position;
}

/** A newer release has changed the live tables meanwhile. */
export class ShapeChanged extends Error {
  constructor() {
    super('The tables have been changed while they were rebuilt: start the rebuild again');
    this.name = 'ShapeChanged';
  }
}
