import { randomBytes } from 'node:crypto';
import type { Settings } from '@settle/config';
import type { Logger } from '@settle/observability';
import {
  checkServer,
  embeddedServerUrl,
  keepSecret,
  prepareServiceDatabase,
  serviceDatabaseUrl,
  startEmbeddedPostgres,
} from '@settle/postgres';

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

/**
 * The URL by which a service of what runs on a data folder reaches its own database. It holds a password: never log it.
 * Errors: one line when nothing has run there.
 */
export async function databaseUrlOf(
  service: keyof ServiceDatabases,
  { databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>,
): Promise<string> {
  const adminUrl = databaseUrl ?? (await embeddedServerUrl(dataDir));
  const nothing = new Error(`Nothing has run on the data folder ${dataDir} yet`);
  if (adminUrl === null) throw nothing;
  const password = await keepSecret(dataDir, nameOf(service), () => {
    throw nothing;
  });
  return serviceDatabaseUrl({ adminUrl, name: nameOf(service), password });
}

/** A database and a role of its own for each service; the roles' passwords are kept in the data folder. */
export async function prepareDatabases(adminUrl: string, dataDir: string): Promise<ServiceDatabases> {
  const prepare = async (service: keyof ServiceDatabases): Promise<string> => {
    const name = nameOf(service);
    const password = await keepSecret(dataDir, name, () => randomBytes(24).toString('hex'));
    return prepareServiceDatabase({ adminUrl, name, password });
  };
  return { users: await prepare('users'), auth: await prepare('auth'), payments: await prepare('payments') };
}

/** Of a service's database and of the role that owns it. */
const nameOf = (service: keyof ServiceDatabases): string => `settle_${service}`;
