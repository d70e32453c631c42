import type { Pool } from 'pg';
import { LEDGER_PLACES } from '../environments.js';
import { AtWork, beAtWork } from './at-work.js';

/** Where a rebuild of the read models in this schema builds. */
export const rebuiltSchema = (schema: string): string => `${schema}_rebuild`;

/**
 * Removes what rebuilds have left that were killed: a second copy of everybody's payments. Does nothing while a rebuild
 * or a verification is at work.
 * @returns the schemas that are gone
 */
export async function dropLeftovers(pool: Pool): Promise<string[]> {
  const names = Object.values(LEDGER_PLACES).map(({ schema }) => rebuiltSchema(schema));
  const { rows } = await pool.query<{ nspname: string }>('select nspname from pg_namespace where nspname = any($1)', [
    names,
  ]);
  if (rows.length === 0) return [];
  const left = rows.map(({ nspname }) => nspname);
  try {
    const client = await beAtWork(pool, 'alone');
    try {
      for (const name of left) await client.query(`drop schema if exists ${name} cascade`);
      return left;
    } finally {
      client.release(true);
    }
  } catch (error) {
    if (error instanceof AtWork) return [];
    throw error;
  }
}
