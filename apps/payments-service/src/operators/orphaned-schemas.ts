import type { QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../storage/environments.js';
import { MAINTENANCE_LOCK } from './maintenance-lock.js';

/** Returns the schema in which the read models of a schema are rebuilt. */
export const rebuildSchemaOf = (schema: string): string => `${schema}_rebuild`;

/**
 * Drops the schemas of rebuilds that were killed: each is a second copy of all payments. Does nothing while a rebuild or a
 * verification runs.
 * @param session of the role that owns the tables, in no transaction
 */
export async function dropOrphanedSchemas(session: QueryRunner): Promise<void> {
  const names = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => rebuildSchemaOf(schema));
  const orphaned = (await session.query('select nspname from pg_namespace where nspname = any($1)', [names])) as {
    nspname: string;
  }[];
  if (orphaned.length === 0) return;
  const [lock] = (await session.query('select pg_try_advisory_lock($1) as taken', [MAINTENANCE_LOCK])) as {
    taken: boolean;
  }[];
  if (lock?.taken !== true) return;
  try {
    for (const { nspname } of orphaned) await session.query(`drop schema if exists ${nspname} cascade`);
  } finally {
    await session.query('select pg_advisory_unlock($1)', [MAINTENANCE_LOCK]);
  }
}
