import { retry } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Pool, PoolClient } from 'pg';
import { shapeOf } from './table-copies.js';

const { switchLockMs, takeOverMs, switchTries, switchPauseMs } = LIMITS.operators;

export interface Cutover {
  readonly live: string;
  readonly rebuilt: string;
  readonly tables: readonly string[];
  /** Names of the checkpoints of the projections that write the tables. */
  readonly checkpoints: readonly string[];
  /** Brings the rebuild to the positions of the live tables, while no checkpoint can move, and returns the last one. */
  readonly meet: () => Promise<number>;
  /** Called last in the transaction. */
  readonly finish: () => Promise<void>;
}

/**
 * Replaces the live tables by the rebuilt ones in one transaction. It locks the checkpoints, so that the projector, whose
 * every transaction begins by moving one, waits and then writes to the new tables under the same fence. The server plans
 * prepared statements again: the new tables have the same names and columns. Readers wait, within bounds.
 * Rejects if it takes too long; after `rollback` nothing is changed. If the connection has ended, the cutover may be done:
 * check with `isAmong`.
 * @param client connection in no transaction
 * @returns the log position of both
 */
export async function cutOver(client: PoolClient, order: Cutover): Promise<number> {
  const { live, rebuilt, tables } = order;
  await holdCheckpoints(client, { ...order, holdMs: takeOverMs });
  const position = await order.meet();
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

/**
 * Begins a transaction in which the checkpoints do not move: the live projector waits for its end.
 * @param holdMs time for which the caller holds them
 */
export async function holdCheckpoints(
  client: PoolClient,
  { live, checkpoints, holdMs }: Pick<Cutover, 'live' | 'checkpoints'> & { readonly holdMs: number },
): Promise<void> {
  await client.query('begin');
  await client.query(`set local lock_timeout = ${switchLockMs}`);
  // Bounds the wait of others if this process freezes.
  await client.query(`set local idle_in_transaction_session_timeout = ${2 * holdMs}`);
  await client.query(`select from ${live}.checkpoints where name = any($1) order by name for update`, [checkpoints]);
}

/** Returns the table's object id, which stays when the table moves to another schema. @param table with its schema */
export async function oidOf(client: PoolClient, table: string): Promise<string> {
  const { rows } = await client.query<{ oid: string }>('select $1::text::regclass::oid::text as oid', [table]);
  return rows[0]?.oid ?? '';
}

/** Returns whether a table is in the live schema, once no cutover is in progress. Retries until the server responds. */
export function isAmong(
  pool: Pool,
  { live, checkpoints, oid }: Pick<Cutover, 'live' | 'checkpoints'> & { readonly oid: string },
): Promise<boolean> {
  const pauses = { attempts: switchTries, minPauseMs: switchPauseMs, maxPauseMs: switchPauseMs };
  return retry(async () => {
    await pool.query(`select from ${live}.checkpoints where name = any($1) for share`, [checkpoints]);
    const found = await pool.query(
      'select from pg_class where oid = $1::oid and relnamespace = $2::text::regnamespace',
      [oid, live],
    );
    return found.rowCount === 1;
  }, pauses);
}

/** A newer release has changed the live tables since. */
export class ShapeChanged extends Error {
  constructor() {
    super('The tables have been changed while they were rebuilt: start the rebuild again');
    this.name = 'ShapeChanged';
  }
}
