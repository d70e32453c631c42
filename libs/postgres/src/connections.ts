import { LIMITS, newestSecret } from '@settle/config';
import type { Metrics } from '@settle/observability';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';

export interface PoolSettings {
  readonly max: number;
  /** Application name of the connections on the server. */
  readonly name: string;
  /** After this time the server cancels a statement. */
  readonly statementTimeoutMs?: number;
  /** Search path for tables: constant schema names. Absent: the default of the server. */
  readonly schemas?: readonly string[];
  /** Absent: the pool has no metrics. */
  readonly metrics?: Metrics | undefined;
  /** Runs on every new connection before its first use; when it rejects, the pool discards the connection. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
}

export interface DataSourceSettings {
  /** Unique among the services of a process: the TypeORM module of Nest stores entities under this name. */
  readonly name: string;
  readonly url: string;
  readonly entities: NonNullable<DataSourceOptions['entities']>;
}

/** Returns the time limits of a connection: for connecting, one statement, and an idle transaction. */
export const buildConnectionLimits = (statementTimeoutMs: number) => ({
  connectionTimeoutMillis: LIMITS.postgres.connectTimeoutMs,
  idleTimeoutMillis: LIMITS.postgres.idleConnectionMs,
  statement_timeout: statementTimeoutMs,
  query_timeout: statementTimeoutMs + 1_000,
  idle_in_transaction_session_timeout: LIMITS.postgres.idleInTransactionMs,
  keepAlive: true,
});

/**
 * Each connection plans a prepared statement once: planning costs more than running most statements. Numbers that are
 * read as float8 keep all their digits, whatever the server or the role has set.
 */
const SESSION = '-c plan_cache_mode=force_generic_plan -c extra_float_digits=1';

/** Creates a bounded pool for prepared statements on hot paths. End it with `pool.end()`. */
export function createPool(
  url: string,
  { max, name, statementTimeoutMs = LIMITS.postgres.statementTimeoutMs, schemas, metrics, onConnect }: PoolSettings,
): pg.Pool {
  const options = schemas === undefined ? SESSION : `${SESSION} -c search_path=${schemas.join(',')}`;
  // eslint-disable-next-line no-restricted-syntax -- The one pool that all others are.
  const pool = new pg.Pool({
    max,
    application_name: name,
    ...mergeOptions(url, options),
    Client: createRotatingClientClass(url, (newestUrl) => mergeOptions(newestUrl, options)),
    ...buildConnectionLimits(statementTimeoutMs),
    // The pool awaits `onConnect`, although its type returns void.
    ...(onConnect === undefined ? {} : { onConnect: onConnect as (client: pg.ClientBase) => void }),
  });
  pool.on('error', ignoreError);
  // The pool handles errors of idle connections only. The next query reports the error of a connection in use.
  pool.on('connect', (client) => client.on('error', ignoreError));
  if (metrics !== undefined) registerPoolMetrics(metrics, name, pool);
  return pool;
}

/** Merges `options` with those in the URL, which would otherwise replace them, the search path included. */
function mergeOptions(url: string, options: string): { connectionString: string; options: string } {
  if (!url.includes('options=')) return { connectionString: url, options };
  const target = new URL(url);
  const existingOptions = target.searchParams.get('options') ?? '';
  target.searchParams.delete('options');
  return { connectionString: target.href, options: `${existingOptions} ${options}` };
}

/** Creates the TypeORM data source of a service. Open it with `openDataSource`. */
export function createDataSource({ name, url, entities }: DataSourceSettings): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    entities,
    synchronize: false,
    logging: false,
    applicationName: name,
    poolSize: LIMITS.postgres.dataSourceConnections,
    connectTimeoutMS: LIMITS.postgres.connectTimeoutMs,
    poolErrorHandler: ignoreError,
    extra: { ...buildConnectionLimits(LIMITS.postgres.statementTimeoutMs), Client: createRotatingClientClass(url) },
  });
}

/** Connects the data source. `migrateSchema` creates the tables before. */
export async function openDataSource(dataSource: DataSource, metrics?: Metrics): Promise<DataSource> {
  await dataSource.initialize();
  if (metrics !== undefined) {
    const { options, driver } = dataSource;
    const name = options.type === 'postgres' ? `${options.applicationName}-entities` : 'entities';
    registerPoolMetrics(metrics, name, (driver as unknown as { readonly master: pg.Pool }).master);
  }
  return dataSource;
}

/**
 * Creates the client class of a pool on `url`. Each new connection uses the newest content of the file that `url` was
 * read from, so that a rotated password closes no connection and opens the next one.
 * @param buildConfig returns the connection settings for a URL
 */
function createRotatingClientClass(
  url: string,
  buildConfig: (newestUrl: string) => pg.ClientConfig = (connectionString) => ({ connectionString }),
): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super({ ...(typeof config === 'string' ? {} : config), ...buildConfig(newestSecret(url)) });
    }
  };
}

/** Registers the metrics of a pool: idle and used connections, and waiting requests. */
function registerPoolMetrics(metrics: Metrics, name: string, pool: pg.Pool): void {
  metrics.register('poolConnections', () => [
    [{ pool: name, state: 'idle' }, pool.idleCount],
    [{ pool: name, state: 'in_use' }, pool.totalCount - pool.idleCount],
  ]);
  metrics.register('poolWaiting', () => [[{ pool: name }, pool.waitingCount]]);
}

/** The pool replaces a broken connection at its next use; without a listener, the error would end the process. */
function ignoreError(): void {}
