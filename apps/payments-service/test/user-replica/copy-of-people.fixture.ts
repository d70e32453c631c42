import { ChangeTracker } from '@settle/concurrency';
import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { PAYMENTS_SCHEMA } from '../../src/payments-schema.js';
import { CachedUserReplica } from '../../src/user-replica/cached-user-replica.js';
import { StoredUserReplica } from '../../src/user-replica/stored-user-replica.js';

type Opens = (pool: Pool) => StoredUserReplica;

/** Each way to keep the copy, by what specs call it. */
export const COPIES: readonly (readonly [name: string, open: Opens])[] = [
  ['in memory', (pool) => new CachedUserReplica(pool, new ChangeTracker(100))],
  ['in its tables', (pool) => new StoredUserReplica(pool)],
];

/** The empty tables of the copy, in a database of their own. */
export async function emptyTables(): Promise<{ pool: Pool; drop: () => Promise<void> }> {
  const database = await freshDatabase();
  await migrateSchema(PAYMENTS_SCHEMA, database.url);
  const pool = createPool(database.url, { max: 4, name: 'spec' });
  const drop = async () => {
    await pool.end();
    await database.drop();
  };
  return { pool, drop };
}
