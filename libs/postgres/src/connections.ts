import { LIMITS } from '@settle/config';
import type { Metrics } from '@settle/observability';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { clientWithNewestPassword } from './newest-password.js';
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
  /** Awaited with every new connection before its first use; where it rejects, the connection is not used. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
}

export interface DataSourceSettings {
  /** Differs between the services of a process: TypeORM's glue to Nest keeps entities by this name. */
  readonly name: string;
  readonly url: string;
  readonly entities: NonNullable<DataSourceOptions['entities']>;
}

/** Every wait of a connection, bounded: for the server, for one statement, for the rest of a transaction. */
export const connectionLimits = (statementTimeoutMs: number) => ({
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
  { max, name, statementTimeoutMs = LIMITS.postgres.statementTimeoutMs, schemas, metrics, onConnect }: PoolSettings,
): pg.Pool {
  const options = schemas === undefined ? PLAN_ONCE : `${PLAN_ONCE} -c search_path=${schemas.join(',')}`;
  const pool = new pg.Pool({
    max,
    application_name: name,
    ...withOptions(url, options),
    Client: clientWithNewestPassword(url, (newestUrl) => withOptions(newestUrl, options)),
    ...connectionLimits(statementTimeoutMs),
    // The pool awaits it; its types do not say so.
    ...(onConnect === undefined ? {} : { onConnect: onConnect as (client: pg.ClientBase) => void }),
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
    poolErrorHandler: replaceSilently,
    extra: { ...connectionLimits(LIMITS.postgres.statementTimeoutMs), Client: clientWithNewestPassword(url) },
  });
}

/** Connects. The tables are made by `migrateSchema`, before. */
export async function openDataSource(dataSource: DataSource, metrics?: Metrics): Promise<DataSource> {
  await dataSource.initialize();
  if (metrics !== undefined) showPool(metrics, nameOf(dataSource), poolOf(dataSource));
  return dataSource;
}

function nameOf({ options }: DataSource): string {
  return options.type === 'postgres' ? `${options.applicationName}-entities` : 'entities';
}

function poolOf({ driver }: DataSource): pg.Pool {
  return (driver as unknown as { readonly master: pg.Pool }).master;
}

/** A connection that dies is replaced at its next use; without a listener its death would end the process. */
function replaceSilently(): void {}
