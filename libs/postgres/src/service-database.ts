import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { LIMITS } from '@settle/config';
import pg from 'pg';
import { migrationsRoleOf } from './schema-rights.js';

export interface ServiceDatabase {
  /** A role that may create roles and databases. */
  readonly adminUrl: string;
  /** Name of the service's database and of the role that the service runs as. */
  readonly name: string;
  readonly password: string;
}

const SCRAM_ITERATIONS = 4096;

/**
 * Gives a service a database and a role of its own that can reach no other service's. May run again and again; the
 * role's password is set anew. Returns the service's URL, which holds the password: never log it.
 */
export async function prepareServiceDatabase({ adminUrl, name, password }: ServiceDatabase): Promise<string> {
  await asAdmin(adminUrl, async (admin) => {
    await admin.query('select pg_advisory_lock(hashtext($1))', [name]);
    await prepareRole(admin, name, password);
    await prepareDatabase(admin, name);
  });
  return serviceDatabaseUrl({ adminUrl, name, password });
}

/**
 * Gives a service's database a second role, which owns it: it migrates the tables, and the service itself can no longer
 * change them. May run again and again, and on a database that belonged to the service's role so far.
 * @param options.password of that second role
 * @returns its URL, which holds the password: never log it
 */
export async function prepareMigrationsRole({ adminUrl, name, password }: ServiceDatabase): Promise<string> {
  const owner = migrationsRoleOf(name);
  const [service, migrations] = [pg.escapeIdentifier(name), pg.escapeIdentifier(owner)];
  await asAdmin(adminUrl, async (admin) => {
    await admin.query('select pg_advisory_lock(hashtext($1))', [name]);
    await prepareRole(admin, owner, password);
    // With it the first migration takes over the tables that the service's role has made.
    await admin.query(`grant ${service} to ${migrations}`);
    // In one transaction: the old owner may connect all the time.
    await admin.query(
      `alter database ${service} owner to ${migrations}; grant connect on database ${service} to ${service}`,
    );
  });
  return migrationsDatabaseUrl({ adminUrl, name, password });
}

/** The URL by which the migrations of a service reach its database. It holds the password: never log it. */
export function migrationsDatabaseUrl(place: ServiceDatabase): string {
  return databaseUrlAs(place, migrationsRoleOf(place.name));
}

/** The URL by which a service reaches its own database on a server. It holds the password: never log it. */
export function serviceDatabaseUrl(place: ServiceDatabase): string {
  return databaseUrlAs(place, place.name);
}

function databaseUrlAs({ adminUrl, name, password }: ServiceDatabase, role: string): string {
  const url = new URL(adminUrl);
  url.username = encodeURIComponent(role);
  url.password = encodeURIComponent(password);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.toString();
}

/** Ends the database's connections and removes it with its roles. */
export async function dropServiceDatabase({ adminUrl, name }: Omit<ServiceDatabase, 'password'>): Promise<void> {
  await asAdmin(adminUrl, async (admin) => {
    await admin.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
    for (const role of [migrationsRoleOf(name), name]) {
      await admin.query(`drop role if exists ${pg.escapeIdentifier(role)}`);
    }
  });
}

async function asAdmin(adminUrl: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({
    connectionString: adminUrl,
    connectionTimeoutMillis: LIMITS.postgres.connectTimeoutMs,
    statement_timeout: LIMITS.postgres.statementTimeoutMs,
    application_name: 'settle-prepare',
  });
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

async function prepareRole(admin: pg.Client, name: string, password: string): Promise<void> {
  const role = pg.escapeIdentifier(name);
  const known = await admin.query('select from pg_roles where rolname = $1', [name]);
  if (known.rowCount === 0) await admin.query(`create role ${role} nosuperuser nocreatedb nocreaterole`);
  await admin.query(`alter role ${role} login password ${pg.escapeLiteral(scramVerifier(password))}`);
  const { rows } = await admin.query<{ is_superuser: boolean }>(
    'select rolsuper as is_superuser from pg_roles where rolname = current_user',
  );
  // Any other admin must be a member of the role to make it the owner of a database.
  if (!rows[0]?.is_superuser) await admin.query(`grant ${role} to current_user`);
}

async function prepareDatabase(admin: pg.Client, name: string): Promise<void> {
  const database = pg.escapeIdentifier(name);
  const known = await admin.query('select from pg_database where datname = $1', [name]);
  if (known.rowCount === 0) {
    const content = `template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`;
    await admin.query(`create database ${database} owner ${database} ${content}`);
  }
  await admin.query(`revoke all on database ${database} from public`);
}

/** What PostgreSQL stores in place of a password (RFC 5803), so that the password reaches no log of the server. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256');
  const key = (label: string) => createHmac('sha256', salted).update(label).digest();
  const storedKey = createHash('sha256').update(key('Client Key')).digest('base64');
  const serverKey = key('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
