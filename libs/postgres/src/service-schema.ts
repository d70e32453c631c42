import { LIMITS } from '@settle/config';
import type { Pool } from 'pg';
import { DataSource, MigrationExecutor, type MigrationInterface, type QueryRunner } from 'typeorm';
import { buildConnectionLimits, createPool } from './connections.js';
import { grantRights, readDatabaseInfo, reassignTables } from './schema-rights.js';
import { checkServer } from './server-check.js';

const { migrationTimeoutMs, migrationSilenceMs } = LIMITS.postgres;

/** The migrations and rights of the database of a service. */
export interface ServiceSchema {
  /** Project whose database it is. */
  readonly service: string;
  /** Run in the order of the numbers in their names. Never rename a released class. */
  readonly migrations: readonly (new () => MigrationInterface)[];
  /** Tables in which the service may insert rows, but not change or delete them. */
  readonly appendOnlyTables?: readonly string[];
  /** Runs after every execution of the migrations. */
  readonly afterMigrations?: (session: QueryRunner) => Promise<void>;
}

/** Advisory locks are local to a database, so all services can use the same number. */
const MIGRATION_LOCK = 7_155_002;
/** Each name ends with the time of its making. */
const MIGRATION_TIME_DIGITS = 13;
const [UNDEFINED_TABLE, NOT_PERMITTED, QUERY_CANCELED] = ['42P01', '42501', '57014'];

/**
 * Runs the pending migrations of a service as the role that owns the tables, and grants the service role its rights.
 * Idempotent and safe to run concurrently: one process migrates, the others wait and find nothing to do.
 * @param url URL of the service database. It holds a password: never log it
 * @param serviceRole role that the service runs as; by default it has the name of the database
 * @returns the names of the executed migrations
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
    extra: buildConnectionLimits(migrationTimeoutMs),
  });
  await dataSource.initialize();
  // Everything runs on one connection: a killed or frozen process loses the lock together with its transaction.
  const session = dataSource.createQueryRunner();
  try {
    await acquireMigrationLock(session);
    const info = await readDatabaseInfo(session);
    const rights = { ...info, serviceRole: serviceRole ?? info.database, appendOnlyTables };
    await reassignTables(session, rights);
    const executor = new MigrationExecutor(dataSource, session);
    executor.transaction = 'each';
    const executed = await executor.executePendingMigrations();
    await schema.afterMigrations?.(session);
    await grantRights(session, rights);
    return executed.map(({ name }) => name);
  } finally {
    await session.release().catch(() => undefined);
    // Closing the connection releases the lock.
    await dataSource.destroy();
  }
}

/**
 * Checks that all migrations of this release have run. Error: one line with the command to run.
 * A database that a newer release has migrated is valid, because migrations only add.
 */
export async function checkSchema({ service, migrations }: ServiceSchema, pool: Pool): Promise<void> {
  const executed = await readExecutedMigrations(pool);
  if (migrations.every(({ name }) => executed.has(name))) return;
  throw new Error(
    `The database of ${service} is older than this release: run \`node apps/${service}/dist/migrate.js\` with ` +
      `MIGRATIONS_DATABASE_URL, then start ${service} again`,
  );
}

/**
 * Returns the names of the migrations that `migrateSchema` would run, in their order. Changes nothing.
 * @param url as for `migrateSchema`
 */
export async function readPendingMigrations({ service, migrations }: ServiceSchema, url: string): Promise<string[]> {
  await checkServer(url);
  const pool = createPool(url, { max: 1, name: `${service}-migrations` });
  try {
    const executed = await readExecutedMigrations(pool);
    const atOf = (name: string) => Number(name.slice(-MIGRATION_TIME_DIGITS));
    const names = migrations.map(({ name }) => name).filter((name) => !executed.has(name));
    return names.toSorted((one, other) => atOf(one) - atOf(other));
  } finally {
    await pool.end();
  }
}

async function readExecutedMigrations(pool: Pool): Promise<ReadonlySet<string>> {
  try {
    const { rows } = await pool.query<{ name: string }>('select name from migrations');
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (code === UNDEFINED_TABLE || code === NOT_PERMITTED) return new Set();
    throw error;
  }
}

async function acquireMigrationLock(session: QueryRunner): Promise<void> {
  await session.query(`set idle_session_timeout = ${migrationSilenceMs}`);
  await session.query(`set idle_in_transaction_session_timeout = ${migrationSilenceMs}`);
  try {
    await session.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  } catch (error) {
    const { code } = (error as { driverError?: { code?: string } }).driverError ?? {};
    if (code !== QUERY_CANCELED) throw error;
    throw new Error(
      `Another migration of this database has run for ${migrationTimeoutMs / 60_000} min: try again later`,
    );
  }
}
