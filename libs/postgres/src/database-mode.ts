import { LIMITS, SettingsError, type NodeEnv } from '@settle/config';
import pg, { type Pool } from 'pg';
import type { QueryRunner } from 'typeorm';

/** The table that holds one row: whether a service's database is for trying out or for real use. */
export const DATABASE_MODE_TABLE = 'database_mode';

type DatabaseMode = 'development' | 'production';

/** Two conditions in SQL on the tables of a database that has no mark yet. */
export interface FoundData {
  /** Whether the database is in use. One that is not is marked at the first start. */
  readonly isInUse: string;
  /** Whether it holds what only a demo or the developer tools make. */
  readonly isFromTrial: string;
}

/** Makes the table, and marks a database that is in use by what it holds. For a migration. */
export async function createDatabaseModeTable(runner: QueryRunner, found: FoundData): Promise<void> {
  await runner.query(`
    create table ${DATABASE_MODE_TABLE} (
      mode text not null check (mode in ('development', 'production')),
      is_derived boolean not null,
      marked_at timestamptz not null default now()
    )`);
  await runner.query(`create unique index ${DATABASE_MODE_TABLE}_is_one on ${DATABASE_MODE_TABLE} ((true))`);
  await runner.query(`
    insert into ${DATABASE_MODE_TABLE} (mode, is_derived)
    select case when ${found.isFromTrial} then 'development' else 'production' end, true where ${found.isInUse}`);
}

/** Undoes `createDatabaseModeTable`. */
export async function dropDatabaseModeTable(runner: QueryRunner): Promise<void> {
  await runner.query(`drop table ${DATABASE_MODE_TABLE}`);
}

/**
 * Marks a database at its first start, as the service's role, which can add the row and never change it. Error:
 * `SettingsError` where the database is of the other mode: test money and known passwords must not reach production,
 * and real balances must not meet the developer tools.
 */
export async function requireDatabaseMode(pool: Pool, nodeEnv: NodeEnv): Promise<void> {
  const mode: DatabaseMode = nodeEnv === 'production' ? 'production' : 'development';
  await pool.query(`insert into ${DATABASE_MODE_TABLE} (mode, is_derived) values ($1, false) on conflict do nothing`, [
    mode,
  ]);
  const { rows } = await pool.query<{ mode: DatabaseMode }>(`select mode from ${DATABASE_MODE_TABLE}`);
  const marked = rows[0]?.mode;
  if (marked !== mode) throw otherMode(nodeEnv, marked);
}

function otherMode(nodeEnv: NodeEnv, marked: DatabaseMode | undefined): SettingsError {
  const is = `NODE_ENV: ${JSON.stringify(nodeEnv)} on a database that is marked ${JSON.stringify(marked)}`;
  const wayOut =
    marked === 'production'
      ? 'start with NODE_ENV=production, or take a new DATA_DIR or new databases to try things out'
      : 'its passwords and money may be those of a trial: take a new DATA_DIR or new databases, or start without NODE_ENV=production';
  return new SettingsError([`${is}; ${wayOut} (docs/operations.md, Development and production)`]);
}

/**
 * Makes the databases of one installation agree where a migration has marked them: what one of them holds of a trial
 * shows that all of them are of one. A mark that a start has set stays.
 * @param urls of the services' databases, as the roles that own the tables. Each holds a password: never log it
 */
export async function alignDerivedModes(urls: readonly string[]): Promise<void> {
  const clients = urls.map(
    (connectionString) =>
      new pg.Client({ connectionString, connectionTimeoutMillis: LIMITS.postgres.connectTimeoutMs }),
  );
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const modes = await Promise.all(
      clients.map(async (client) => (await client.query<{ mode: string }>('select mode from database_mode')).rows),
    );
    if (!modes.flat().some(({ mode }) => mode === 'development')) return;
    for (const client of clients) await client.query(`update database_mode set mode = 'development' where is_derived`);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}
