import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Pool, PoolClient } from 'pg';
import { PROJECTION } from '../projection/checkpoints.js';
import { shapeOf } from './table-copies.js';

const { switchLockMs, takeOverMs, switchTries, switchPauseMs } = LIMITS.operators;

export interface Cutover {
  readonly live: string;
  readonly rebuilt: string;
  readonly tables: readonly string[];
  /** Returns the position of the cutover; called while the checkpoint cannot move. */
  readonly goal: () => Promise<number>;
  /** Brings the rebuild to exactly this position; rejects after `takeOverMs`. */
  readonly reach: (position: number) => Promise<void>;
  /** Called last in the transaction. */
  readonly finish: () => Promise<void>;
}

/**
 * Replaces the live tables by the rebuilt ones in one transaction. It locks the checkpoint, so that the projector, whose
 * every transaction begins by moving it, waits and then writes to the new tables under the same fence. The server plans
 * prepared statements again: the new tables have the same names and columns. Readers wait, within bounds.
 * Rejects if it takes too long; after `rollback` nothing is changed. If the connection has ended, the cutover may be done:
 * check with `isAmong`.
 * @param client connection in no transaction
 * @returns the log position of both
 */
export async function cutOver(client: PoolClient, order: Cutover): Promise<number> {
  const { live, rebuilt, tables } = order;
  await client.query('begin');
  await client.query(`set local lock_timeout = ${switchLockMs}`);
  // Bounds the wait of others if this process freezes.
  await client.query(`set local idle_in_transaction_session_timeout = ${2 * takeOverMs}`);
  await client.query(`select from ${live}.checkpoints where name = $1 for update`, [PROJECTION]);
  const position = await order.goal();
  await order.reach(position);
  await client.query(`lock table ${tables.map((name) => `${live}.${name}`).join(', ')} in access exclusive mode`);
  const [liveShape, rebuiltShape] = [
    await shapeOf(client, { schema: live, names: tables }),
    await shapeOf(client, { schema: rebuilt, names: tables }),
  ];
  if (liveShape !== rebuiltShape) throw new ShapeChanged();
  for (const name of tables) {
    await client.query(`drop table ${live}.${name}`);
    await client.query(`alter table ${rebuilt}.${name} set schema ${live}`);
  }
  await order.finish();
  await client.query('commit');
  return position;
}

/** Returns the table's object id, which stays when the table moves to another schema. @param table with its schema */
export async function oidOf(client: PoolClient, table: string): Promise<string> {
  const { rows } = await client.query<{ oid: string }>('select $1::text::regclass::oid::text as oid', [table]);
  return rows[0]?.oid ?? '';
}

/** Returns whether a table is in the live schema, once no cutover is in progress. Retries until the server responds. */
export async function isAmong(pool: Pool, live: string, oid: string): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await pool.query(`select from ${live}.checkpoints where name = $1 for share`, [PROJECTION]);
      const found = await pool.query(
        'select from pg_class where oid = $1::oid and relnamespace = $2::text::regnamespace',
        [oid, live],
      );
      return found.rowCount === 1;
    } catch (error) {
      if (attempt === switchTries) throw error;
    }
    await pause(switchPauseMs);
  }
}

/** A newer release has changed the live tables since. */
export class ShapeChanged extends Error {
  constructor() {
    super('The tables have been changed while they were rebuilt: start the rebuild again');
    this.name = 'ShapeChanged';
  }
}
