import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '@settle/config';
import { DATABASE_SERVICES, databaseNameOf, type DatabaseName } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import {
  checkServer,
  readEmbeddedServerUrl,
  getOrCreateSecret,
  buildMigrationsDatabaseUrl,
  prepareMigrationsRole,
  prepareServiceDatabase,
  buildServiceDatabaseUrl,
  startEmbeddedPostgres,
} from '@settle/postgres';

/** A PostgreSQL that is ready for the services. */
export interface Server {
  /** May create roles and databases. Holds a password: never log it. */
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/** The addresses of a service's database. Each URL holds a password: never log one. */
export interface DatabaseUrls {
  /** As the role that the service runs as. */
  readonly service: string;
  /** As the role that owns the tables. */
  readonly migrations: string;
}

type DatabasePasswords = Readonly<Record<keyof DatabaseUrls, string>>;

export type ServiceDatabases = Readonly<Record<DatabaseName, DatabaseUrls>>;

/**
 * Returns the operator's PostgreSQL if `DATABASE_URL` is set, or starts the embedded one. Errors: one line each.
 * @param connections the limit of the embedded server; absent: enough for one instance of each service
 */
export async function startPostgres(
  { databaseUrl, dataDir }: Settings,
  logger: Logger,
  connections?: number,
): Promise<Server> {
  if (databaseUrl === null) {
    requireNoUnfinishedRestore(dataDir);
    return startEmbeddedPostgres({ dataDir, logger, ...(connections === undefined ? {} : { connections }) });
  }
  await checkServer(databaseUrl);
  return { adminUrl: databaseUrl, stop: () => Promise.resolve() };
}

/** In the data folder: where a restore works until the databases are moved to their place. */
export const RESTORE_FOLDER = 'restoring';

/** A start would make new, empty databases where a restore was killed before it had moved its own to their place. */
function requireNoUnfinishedRestore(dataDir: string): void {
  const rest = join(dataDir, RESTORE_FOLDER);
  if (existsSync(join(dataDir, 'postgres')) || !existsSync(rest)) return;
  throw new Error(`A restore did not come to its end (${rest}): run npm run restore again, or remove that folder`);
}

/**
 * Returns the URL of a service's database in a data folder. It holds a password: never log it. Errors: one line if no
 * Settle has run on the folder.
 */
export async function databaseUrlOf(service: DatabaseName, place: DatabasePlace): Promise<string> {
  return buildServiceDatabaseUrl(await keptDatabase(place, nameOf(service), nameOf(service)));
}

/** Returns the same for the role that owns the tables. */
export async function migrationsUrlOf(service: DatabaseName, place: DatabasePlace): Promise<string> {
  return buildMigrationsDatabaseUrl(await keptDatabase(place, nameOf(service), migrationsSecretOf(service)));
}

type DatabasePlace = Pick<Settings, 'databaseUrl' | 'dataDir'>;

async function keptDatabase({ databaseUrl, dataDir }: DatabasePlace, name: string, secret: string) {
  const adminUrl = databaseUrl ?? (await readEmbeddedServerUrl(dataDir));
  const nothing = new Error(`Nothing has run on the data folder ${dataDir} yet`);
  if (adminUrl === null) throw nothing;
  const password = await getOrCreateSecret(dataDir, secret, () => {
    throw nothing;
  });
  return { adminUrl, name, password };
}

/**
 * Creates a database for each service, with a role that owns it and one for the service itself, and keeps their
 * passwords in the data folder. The migrations of each service create the tables.
 */
export async function prepareDatabases(adminUrl: string, dataDir: string): Promise<ServiceDatabases> {
  const services = DATABASE_SERVICES.map(databaseNameOf);
  const passwords = new Map<DatabaseName, DatabasePasswords>();
  // One after the other: each may add to the same file.
  for (const service of services) passwords.set(service, await readPasswords(dataDir, nameOf(service)));
  const prepared = [...passwords].map(async ([service, own]) => [
    service,
    await prepare(adminUrl, nameOf(service), own),
  ]);
  return Object.fromEntries(await Promise.all(prepared)) as ServiceDatabases;
}

/** Creates a database with its two roles. @param name of the database and of the role that the service runs as */
export async function prepareDatabase(adminUrl: string, dataDir: string, name: string): Promise<DatabaseUrls> {
  return prepare(adminUrl, name, await readPasswords(dataDir, name));
}

/** Returns the passwords of the two roles; creates missing ones. */
async function readPasswords(dataDir: string, name: string): Promise<DatabasePasswords> {
  const passwordOf = (secret: string) => getOrCreateSecret(dataDir, secret, () => randomBytes(24).toString('hex'));
  return { service: await passwordOf(name), migrations: await passwordOf(`${name}_migrations`) };
}

async function prepare(adminUrl: string, name: string, passwords: DatabasePasswords): Promise<DatabaseUrls> {
  return {
    service: await prepareServiceDatabase({ adminUrl, name, password: passwords.service }),
    migrations: await prepareMigrationsRole({ adminUrl, name, password: passwords.migrations }),
  };
}

/** The name of a service's database and of the role that the service runs as. */
const nameOf = (service: DatabaseName): string => `settle_${service}`;

/** Names the password of the role that owns the tables. */
const migrationsSecretOf = (service: DatabaseName): string => `${nameOf(service)}_migrations`;
