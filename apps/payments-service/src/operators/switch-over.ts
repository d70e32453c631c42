import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Pool, PoolClient } from 'pg';
import { PROJECTION } from '../projection/checkpoints.js';
import { shapeOf } from './table-copies.js';

const { switchLockMs, takeOverMs, switchTries, switchPauseMs } = LIMITS.operators;

export interface SwitchOver {
  readonly live: string;
  readonly rebuilt: string;
  readonly tables: readonly string[];
  /** Returns the position at which they are switched; asked while nothing moves the checkpoint. */
  readonly goal: () => Promise<number>;
  /** Has the rebuild come to exactly this position; rejects when it takes longer than `takeOverMs`. */
  readonly reach: (position: number) => Promise<void>;
  /** Called last in the transaction of the switch. */
  readonly finish: () => Promise<void>;
}

/**
 * Puts the rebuilt tables into the place of the live ones, in one transaction: it holds the checkpoint, so that the
 * projector, whose every transaction begins by moving that, waits and writes to the new tables afterwards, under the
 * same fence. Prepared statements are planned anew by the server: the new tables have the same names and columns.
 * Readers wait until it is done, within bounds. Rejects when it takes too long; then `rollback` ends the transaction, and
 * nothing is changed. Where the connection has ended as well, it may be done: look where the tables are.
 * @param client its connection, in no transaction
 * @returns the position of both
 */
export async function switchOver(client: PoolClient, order: SwitchOver): Promise<number> {
  const { live, rebuilt, tables } = order;
  await client.query('begin');
  await client.query(`set local lock_timeout = ${switchLockMs}`);
  // Should this process be stopped in the middle: nobody waits for it longer.
  await client.query(`set local idle_in_transaction_session_timeout = ${2 * takeOverMs}`);
  await client.query(`select from ${live}.checkpoints where name = $1 for update`, [PROJECTION]);
  const position = await order.goal();
  await order.reach(position);
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
  await order.finish();
  await client.query('commit');
  return position;
}

/** What the server knows a table by, wherever it is moved. @param table with its schema */
export async function oidOf(client: PoolClient, table: string): Promise<string> {
  const { rows } = await client.query<{ oid: string }>('select $1::text::regclass::oid::text as oid', [table]);
  return rows[0]?.oid ?? '';
}

/** Whether a table is one of the live ones, once no switch is under way any more. Asked until the server answers. */
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

/** A newer release has changed the live tables meanwhile. */
export class ShapeChanged extends Error {
  constructor() {
    super('The tables have been changed while they were rebuilt: start the rebuild again');
    this.name = 'ShapeChanged';
  }
}
