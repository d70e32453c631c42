import { LIMITS, SettingsError, readSettings } from '@settle/config';
import type { Pool } from 'pg';
import { createPool } from './connections.js';

/**
 * Runs an operator command on the database at `DATABASE_URL`: prints the result of `work` or the error as one line, and
 * sets the exit code.
 * @param name name of the command, used as the application name of its connection
 */
export async function runDatabaseCommand(name: string, work: (pool: Pool) => Promise<number>): Promise<void> {
  try {
    const { databaseUrl } = readSettings(process.env);
    if (databaseUrl === null) throw new SettingsError(['DATABASE_URL: it is required but not set']);
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
