import { LIMITS, SettingsError, readSettings } from '@settle/config';
import type { Pool } from 'pg';
import { createPool } from './connections.js';

/**
 * Runs a command of a service on that service's database, which `DATABASE_URL` names: prints what `work` returns as one
 * line, or why it failed, and sets the exit code.
 * @param name of the command, and of its connections
 */
export async function runDatabaseCommand(name: string, work: (pool: Pool) => Promise<number>): Promise<void> {
  try {
    const { databaseUrl } = readSettings(process.env);
    if (databaseUrl === null) throw new SettingsError(['DATABASE_URL: it is needed here and not set']);
    const pool = createPool(databaseUrl, { max: 1, name, statementTimeoutMs: LIMITS.operators.statementMs });
    try {
      process.stdout.write(`${await work(pool)}\n`);
    } finally {
      await pool.end();
    }
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
