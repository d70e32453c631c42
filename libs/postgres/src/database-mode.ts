import { SettingsError, type NodeEnv } from '@settle/config';
import type { Pool } from 'pg';
import type { QueryRunner } from 'typeorm';
import { withClient } from './with-client.js';

/** The table with one row that says whether a database is for development or for production. */
export const DATABASE_MODE_TABLE = 'database_mode';

type DatabaseMode = 'development' | 'production';

/** Two SQL conditions on the tables of a database that has no mode yet. */
export interface DatabaseUsage {
  /** Whether the database is in use. The first start sets the mode of an unused one. */
  readonly isInUse: string;
  /** Whether it has data that only a demo or the developer tools create. */
  readonly isFromTrial: string;
}

/** Creates the table and derives the mode of a database in use from its data. For a migration. */
export async function createDatabaseModeTable(runner: QueryRunner, usage: DatabaseUsage): Promise<void> {
  await runner.query(`
    create table ${DATABASE_MODE_TABLE} (
      mode text not null check (mode in ('development', 'production')),
      is_derived boolean not null,
      marked_at timestamptz not null default now()
    )`);
  await runner.query(`create unique index ${DATABASE_MODE_TABLE}_is_one on ${DATABASE_MODE_TABLE} ((true))`);
  await runner.query(`
    insert into ${DATABASE_MODE_TABLE} (mode, is_derived)
    select case when ${usage.isFromTrial} then 'development' else 'production' end, true where ${usage.isInUse}`);
}

/** Reverts `createDatabaseModeTable`. */
export async function dropDatabaseModeTable(runner: QueryRunner): Promise<void> {
  await runner.query(`drop table ${DATABASE_MODE_TABLE}`);
}

/**
 * Sets the mode of a database at its first start, as the role of the service, which can insert the row but not change it.
 * Error: `SettingsError` if the database has the other mode: test money and well-known passwords must not reach
 * production, and the developer tools must not reach real balances.
 */
export async function requireDatabaseMode(pool: Pool, nodeEnv: NodeEnv): Promise<void> {
  const mode: DatabaseMode = nodeEnv === 'production' ? 'production' : 'development';
  await pool.query(`insert into ${DATABASE_MODE_TABLE} (mode, is_derived) values ($1, false) on conflict do nothing`, [
    mode,
  ]);
  const { rows } = await pool.query<{ mode: DatabaseMode }>(`select mode from ${DATABASE_MODE_TABLE}`);
  const storedMode = rows[0]?.mode;
  if (storedMode !== mode) throw buildModeMismatchError(nodeEnv, storedMode);
}

function buildModeMismatchError(nodeEnv: NodeEnv, storedMode: DatabaseMode | undefined): SettingsError {
  const mismatch = `NODE_ENV: ${JSON.stringify(nodeEnv)} on a database that is marked ${JSON.stringify(storedMode)}`;
  const remedy =
    storedMode === 'production'
      ? 'start with NODE_ENV=production, or take a new DATA_DIR or new databases for development'
      : 'its passwords and money may be test data: take a new DATA_DIR or new databases, or start without NODE_ENV=production';
  return new SettingsError([`${mismatch}; ${remedy} (docs/operations.md, Development and production)`]);
}

/**
 * Aligns the modes that migrations have derived for the databases of one installation: if one is for development, all
 * are. Modes that a start has set do not change.
 * @param urls URLs of the databases, with the roles that own the tables. They hold passwords: never log them
 */
export async function alignDerivedModes(urls: readonly string[]): Promise<void> {
  const queryAll = (statement: string) =>
    Promise.all(
      urls.map((connectionString) =>
        withClient({ connectionString }, (client) => client.query<{ mode: DatabaseMode }>(statement)),
      ),
    );
  const modes = (await queryAll('select mode from database_mode')).flatMap(({ rows }) => rows);
  if (!modes.some(({ mode }) => mode === 'development')) return;
  await queryAll(`update database_mode set mode = 'development' where is_derived`);
}
