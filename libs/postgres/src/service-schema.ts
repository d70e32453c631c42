import { LIMITS, type ServiceName } from '@settle/config';
import type { Pool } from 'pg';
import { DataSource, MigrationExecutor, type MigrationInterface, type QueryRunner } from 'typeorm';
import { connectionLimits } from './connections.js';
import { grantRights, takeOverTables } from './schema-rights.js';
import { checkServer } from './server-check.js';

const { migrationTimeoutMs, migrationSilenceMs } = LIMITS.postgres;

/** The tables of a service's own database. */
export interface ServiceSchema {
  readonly service: ServiceName;
  /** Run in the order of the numbers in their names. A class that has been released is never renamed. */
  readonly migrations: readonly (new () => MigrationInterface)[];
  /** Tables to which the service may add rows, and in which it may change none. */
  readonly appendOnlyTables?: readonly string[];
  /** Runs after the migrations, every time. */
  readonly afterMigrations?: (session: QueryRunner) => Promise<void>;
}

/** Advisory locks are one database's own, so every service can use the same number. */
const MIGRATION_LOCK = 7_155_002;
const [UNDEFINED_TABLE, NOT_PERMITTED, QUERY_CANCELED] = ['42P01', '42501', '57014'];

/**
 * Brings a service's database up to date, as the role that owns its tables, and gives the service's role its rights.
 * May run again, and several times at once: one runs, the others wait and find nothing to do.
 * @param url of the service's database. Holds a password: never log it
 * @param serviceRole the service runs as it; named as the database unless given
 * @returns the names of the migrations that it ran
 */
export async function migrateSchema(schema: ServiceSchema, url: string, serviceRole?: string): Promise<string[]> {
  await checkServer(url);
  const { service, migrations, appendOnlyTables = [] } = schema;
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    entities: [],
    migrations: [...migrations],
    logging: false,
    applicationName: `${service}-migrations`,
    poolErrorHandler: () => undefined,
    extra: connectionLimits(migrationTimeoutMs),
  });
  await dataSource.initialize();
  // All of it on one connection: a process that is killed or frozen loses the lock and its transaction together.
  const session = dataSource.createQueryRunner();
  try {
    await beAlone(session);
    const rights = { serviceRole: serviceRole ?? (await databaseOf(session)), appendOnlyTables };
    await takeOverTables(session, rights);
    const executor = new MigrationExecutor(dataSource, session);
    executor.transaction = 'each';
    const executed = await executor.executePendingMigrations();
    await schema.afterMigrations?.(session);
    await grantRights(session, rights);
    return executed.map(({ name }) => name);
  } finally {
    await session.release().catch(() => undefined);
    // Ends the connection, and with it the lock.
    await dataSource.destroy();
  }
}

/**
 * Rejects with one line that says what to run, where a migration of this release has not run on the database.
 * A database that a newer release has migrated is accepted: migrations only add.
 */
export async function checkSchema({ service, migrations }: ServiceSchema, pool: Pool): Promise<void> {
  const executed = await executedMigrations(pool);
  if (migrations.every(({ name }) => executed.has(name))) return;
  throw new Error(
    `The database of ${service} is older than this release: run \`node apps/${service}/dist/migrate.js\` with ` +
      `MIGRATIONS_DATABASE_URL, then start ${service} again`,
  );
}

async function executedMigrations(pool: Pool): Promise<ReadonlySet<string>> {
  try {
    const { rows } = await pool.query<{ name: string }>('select name from migrations');
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (code === UNDEFINED_TABLE || code === NOT_PERMITTED) return new Set();
    throw error;
  }
}

async function beAlone(session: QueryRunner): Promise<void> {
  await session.query(`set idle_session_timeout = ${migrationSilenceMs}`);
  await session.query(`set idle_in_transaction_session_timeout = ${migrationSilenceMs}`);
  try {
    await session.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  } catch (error) {
    const { code } = (error as { driverError?: { code?: string } }).driverError ?? {};
    if (code !== QUERY_CANCELED) throw error;
    throw new Error(`Another migration of this database has run for ${migrationTimeoutMs / 60_000} min: try again`);
  }
}

async function databaseOf(session: QueryRunner): Promise<string> {
  const [row] = (await session.query('select current_database() as name')) as { name: string }[];
  return row?.name ?? '';
}
