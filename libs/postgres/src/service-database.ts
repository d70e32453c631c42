import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { LIMITS } from '@settle/config';
import pg from 'pg';
import { deriveMigrationsRole } from './schema-rights.js';
import { withClient } from './with-client.js';

export interface ServiceDatabase {
  /** URL of a role that may create roles and databases. */
  readonly adminUrl: string;
  /** Name of the database of the service and of the role that the service runs as. */
  readonly name: string;
  readonly password: string;
}

const SCRAM_ITERATIONS = 4096;

/**
 * Creates the database and the role of a service; the role can reach no other database. Idempotent, except that it sets
 * the password of the role. Returns the URL of the service, which holds the password: never log it.
 */
export async function prepareServiceDatabase({ adminUrl, name, password }: ServiceDatabase): Promise<string> {
  await withAdmin(adminUrl, async (admin) => {
    await admin.query('select pg_advisory_lock(hashtext($1))', [name]);
    await prepareRole(admin, name, password);
    await prepareDatabase(admin, name);
  });
  return buildServiceDatabaseUrl({ adminUrl, name, password });
}

/**
 * Creates the migrations role of a service database and makes it the owner, so that the service role can no longer alter
 * tables. Idempotent; also works on a database that the service role owns.
 * @param options.password password of the migrations role
 * @returns the URL of the migrations role, which holds the password: never log it
 */
export async function prepareMigrationsRole({ adminUrl, name, password }: ServiceDatabase): Promise<string> {
  const owner = deriveMigrationsRole(name);
  const [service, migrations] = [pg.escapeIdentifier(name), pg.escapeIdentifier(owner)];
  await withAdmin(adminUrl, async (admin) => {
    await admin.query('select pg_advisory_lock(hashtext($1))', [name]);
    await prepareRole(admin, owner, password);
    // The first migration needs this grant to reassign the tables that the service role owns.
    await admin.query(`grant ${service} to ${migrations}`);
    // Both statements run in one transaction, so that the old owner can always connect.
    await admin.query(
      `alter database ${service} owner to ${migrations}; grant connect on database ${service} to ${service}`,
    );
  });
  return buildMigrationsDatabaseUrl({ adminUrl, name, password });
}

/** Returns the URL of the migrations role of a service. It holds the password: never log it. */
export function buildMigrationsDatabaseUrl(database: ServiceDatabase): string {
  return buildDatabaseUrl(database, deriveMigrationsRole(database.name));
}

/** Returns the URL of the database of a service. It holds the password: never log it. */
export function buildServiceDatabaseUrl(database: ServiceDatabase): string {
  return buildDatabaseUrl(database, database.name);
}

function buildDatabaseUrl({ adminUrl, name, password }: ServiceDatabase, role: string): string {
  const url = new URL(adminUrl);
  url.username = encodeURIComponent(role);
  url.password = encodeURIComponent(password);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.toString();
}

/** Closes all connections of a service database and drops it with its roles. */
export async function dropServiceDatabase({ adminUrl, name }: Omit<ServiceDatabase, 'password'>): Promise<void> {
  await withAdmin(adminUrl, async (admin) => {
    await admin.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
    for (const role of [deriveMigrationsRole(name), name]) {
      await admin.query(`drop role if exists ${pg.escapeIdentifier(role)}`);
    }
  });
}

function withAdmin(adminUrl: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const limits = { statement_timeout: LIMITS.postgres.statementTimeoutMs, application_name: 'settle-prepare' };
  return withClient({ connectionString: adminUrl, ...limits }, work);
}

async function prepareRole(admin: pg.Client, name: string, password: string): Promise<void> {
  const role = pg.escapeIdentifier(name);
  const existing = await admin.query('select from pg_roles where rolname = $1', [name]);
  if (existing.rowCount === 0) await admin.query(`create role ${role} nosuperuser nocreatedb nocreaterole`);
  await admin.query(`alter role ${role} login password ${pg.escapeLiteral(buildScramVerifier(password))}`);
  const { rows } = await admin.query<{ is_superuser: boolean }>(
    'select rolsuper as is_superuser from pg_roles where rolname = current_user',
  );
  // An admin without superuser rights must be a member of the role to make it the owner of a database.
  if (!rows[0]?.is_superuser) await admin.query(`grant ${role} to current_user`);
}

async function prepareDatabase(admin: pg.Client, name: string): Promise<void> {
  const database = pg.escapeIdentifier(name);
  const existing = await admin.query('select from pg_database where datname = $1', [name]);
  if (existing.rowCount === 0) {
    const content = `template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`;
    await admin.query(`create database ${database} owner ${database} ${content}`);
  }
  await admin.query(`revoke all on database ${database} from public`);
}

/** Returns the verifier that PostgreSQL stores for a password (RFC 5803), so that no server log contains the password. */
function buildScramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256');
  const key = (label: string) => createHmac('sha256', salted).update(label).digest();
  const storedKey = createHash('sha256').update(key('Client Key')).digest('base64');
  const serverKey = key('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
