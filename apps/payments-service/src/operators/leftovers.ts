import type { QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../storage/environments.js';
import { OPERATORS_LOCK } from './at-work.js';

/** Where a rebuild of the read models in this schema builds. */
export const rebuiltSchema = (schema: string): string => `${schema}_rebuild`;

/**
 * Removes what rebuilds have left that were killed: a second copy of everybody's payments. Does nothing while a rebuild
 * or a verification is at work.
 * @param session of the role that owns the tables, in no transaction
 */
export async function dropLeftovers(session: QueryRunner): Promise<void> {
  const names = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => rebuiltSchema(schema));
  const left = (await session.query('select nspname from pg_namespace where nspname = any($1)', [names])) as {
    nspname: string;
  }[];
  if (left.length === 0) return;
  const [lock] = (await session.query('select pg_try_advisory_lock($1) as taken', [OPERATORS_LOCK])) as {
    taken: boolean;
  }[];
  if (lock?.taken !== true) return;
  try {
    for (const { nspname } of left) await session.query(`drop schema if exists ${nspname} cascade`);
  } finally {
    await session.query('select pg_advisory_unlock($1)', [OPERATORS_LOCK]);
  }
}
