import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 60_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
const DATA_SOURCE_CONNECTIONS = 10;

export interface PoolSettings {
  readonly max: number;
  /** Shown by the server beside each connection. */
  readonly name: string;
  /** After this the server ends a statement. */
  readonly statementTimeoutMs?: number;
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
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  idleTimeoutMillis: IDLE_TIMEOUT_MS,
  statement_timeout: statementTimeoutMs,
  query_timeout: statementTimeoutMs + 1_000,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  keepAlive: true,
});

/** A bounded pool for prepared statements on hot paths. End it with `pool.end()`. */
export function createPool(
  url: string,
  { max, name, statementTimeoutMs = STATEMENT_TIMEOUT_MS }: PoolSettings,
): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max, application_name: name, ...limits(statementTimeoutMs) });
  pool.on('error', replaceSilently);
  return pool;
}

/** A service's TypeORM, with its migrations run by `initialize()`. */
export function createDataSource({ name, url, entities, migrations }: DataSourceSettings): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    entities,
    migrations,
    migrationsRun: true,
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    applicationName: name,
    poolSize: DATA_SOURCE_CONNECTIONS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    poolErrorHandler: replaceSilently,
    extra: limits(STATEMENT_TIMEOUT_MS),
  });
}

/** A connection that dies while idle is replaced at its next use; without a listener it would end the process. */
function replaceSilently(): void {}
