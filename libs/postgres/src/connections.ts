import { LIMITS } from '@settle/config';
import type { Metrics } from '@settle/observability';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { showPool } from './show-pool.js';

export interface PoolSettings {
  readonly max: number;
  /** Shown by the server beside each connection. */
  readonly name: string;
  /** After this the server ends a statement. */
  readonly statementTimeoutMs?: number;
  /** Where tables are looked for that a statement names without their schema: names of ours; the server's own unless given. */
  readonly schemas?: readonly string[];
  /** Absent: it is not watched. */
  readonly metrics?: Metrics | undefined;
}

export interface DataSourceSettings {
  /** Differs between the services of a process: TypeORM's glue to Nest keeps entities by this name. */
  readonly name: string;
  readonly url: string;
  readonly entities: NonNullable<DataSourceOptions['entities']>;
  readonly migrations: NonNullable<DataSourceOptions['migrations']>;
}

/** Every wait of a connection, bounded: for the server, for one statement, for the rest of a transaction. */
const limits = (statementTimeoutMs: number) => ({
  connectionTimeoutMillis: LIMITS.postgres.connectTimeoutMs,
  idleTimeoutMillis: LIMITS.postgres.idleConnectionMs,
  statement_timeout: statementTimeoutMs,
  query_timeout: statementTimeoutMs + 1_000,
  idle_in_transaction_session_timeout: LIMITS.postgres.idleInTransactionMs,
  keepAlive: true,
});

/** A prepared statement is planned once for each connection: planning anew costs more than most statements. */
const PLAN_ONCE = '-c plan_cache_mode=force_generic_plan';

/** A bounded pool for prepared statements on hot paths. End it with `pool.end()`. */
export function createPool(
  url: string,
  { max, name, statementTimeoutMs = LIMITS.postgres.statementTimeoutMs, schemas, metrics }: PoolSettings,
): pg.Pool {
  const pool = new pg.Pool({
    max,
    application_name: name,
    ...withOptions(url, schemas === undefined ? PLAN_ONCE : `${PLAN_ONCE} -c search_path=${schemas.join(',')}`),
    ...limits(statementTimeoutMs),
  });
  pool.on('error', replaceSilently);
  // The pool listens to a connection only while that is idle; in use, its next query tells.
  pool.on('connect', (client) => client.on('error', replaceSilently));
  if (metrics !== undefined) showPool(metrics, name, pool);
  return pool;
}

/** Options in the address would take the place of ours, and with them the schemas: they are joined. */
function withOptions(url: string, options: string): { connectionString: string; options: string } {
  if (!url.includes('options=')) return { connectionString: url, options };
  const address = new URL(url);
  const own = address.searchParams.get('options') ?? '';
  address.searchParams.delete('options');
  return { connectionString: address.href, options: `${own} ${options}` };
}

/** A service's TypeORM. Open it with `openDataSource`. */
export function createDataSource({ name, url, entities, migrations }: DataSourceSettings): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    entities,
    migrations,
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    applicationName: name,
    poolSize: LIMITS.postgres.dataSourceConnections,
    connectTimeoutMS: LIMITS.postgres.connectTimeoutMs,
    poolErrorHandler: replaceSilently,
    extra: limits(LIMITS.postgres.statementTimeoutMs),
  });
}

/** Advisory locks are one database's own, so every service can use the same number. */
const MIGRATION_LOCK = 7_155_002;

/** Connects and brings the tables up to date; of several instances that start at once one does, and the others wait. */
export async function openDataSource(dataSource: DataSource, metrics?: Metrics): Promise<DataSource> {
  await migrate(dataSource.options);
  await dataSource.initialize();
  if (metrics !== undefined) showPool(metrics, nameOf(dataSource), poolOf(dataSource));
  return dataSource;
}

/** Over connections of its own: a change of a large table takes longer than a statement of the service may. */
async function migrate(options: DataSourceOptions): Promise<void> {
  const migrating = new DataSource(
    Object.assign({}, options, { entities: [], extra: limits(LIMITS.postgres.migrationTimeoutMs) }),
  );
  await migrating.initialize();
  const session = migrating.createQueryRunner();
  try {
    await session.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await migrating.runMigrations();
  } finally {
    // Ends the session, and with it the lock.
    await session.release();
    await migrating.destroy();
  }
}

function nameOf({ options }: DataSource): string {
  return options.type === 'postgres' ? `${options.applicationName}-entities` : 'entities';
}

function poolOf({ driver }: DataSource): pg.Pool {
  return (driver as unknown as { readonly master: pg.Pool }).master;
}

/** A connection that dies is replaced at its next use; without a listener its death would end the process. */
function replaceSilently(): void {}
