import { randomBytes } from 'node:crypto';
import type { Settings } from '@settle/config';
import type { Logger } from '@settle/observability';
import { checkServer, keepSecret, prepareServiceDatabase, startEmbeddedPostgres } from '@settle/postgres';

/** A PostgreSQL that is ready for the services. */
export interface Server {
  /** May create roles and databases. Holds a password: never log it. */
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/** URLs of the services' databases. Each holds a password: never log one. */
export interface ServiceDatabases {
  readonly users: string;
  readonly auth: string;
  readonly payments: string;
}

/**
 * The operator's PostgreSQL when `DATABASE_URL` names one, else the embedded one. Errors: one line each.
 * @param connections that the embedded one takes; enough for one instance of each service unless given
 */
export async function startPostgres(
  { databaseUrl, dataDir }: Settings,
  logger: Logger,
  connections?: number,
): Promise<Server> {
  if (databaseUrl === null) {
    return startEmbeddedPostgres({ dataDir, logger, ...(connections === undefined ? {} : { connections }) });
  }
  await checkServer(databaseUrl);
  return { adminUrl: databaseUrl, stop: () => Promise.resolve() };
}

/** A database and a role of its own for each service; the roles' passwords are kept in the data folder. */
export async function prepareDatabases(adminUrl: string, dataDir: string): Promise<ServiceDatabases> {
  const prepare = async (service: string): Promise<string> => {
    const name = `settle_${service}`;
    const password = await keepSecret(dataDir, name, () => randomBytes(24).toString('hex'));
    return prepareServiceDatabase({ adminUrl, name, password });
  };
  return { users: await prepare('users'), auth: await prepare('auth'), payments: await prepare('payments') };
}
