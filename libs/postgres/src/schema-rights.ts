import { retry } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';

const { migrationTimeoutMs, ownershipLockMs, ownershipPauseMs } = LIMITS.postgres;

/** Returns the name of the role that owns the tables, from the name of the role that the service runs as. */
export const deriveMigrationsRole = (serviceRole: string): string => `${serviceRole}_migrations`;

/** The database of a session. */
interface DatabaseInfo {
  /** The role of the session. */
  readonly owner: string;
  readonly database: string;
  readonly owns_database: boolean;
}

/** The rights of the role that the service runs as; the migrations role owns the tables. */
export interface SchemaRights extends DatabaseInfo {
  /** The role that the service runs as: it reads and writes rows, but alters no table. */
  readonly serviceRole: string;
  /** Tables in which the service role may insert rows, but not change or delete them. */
  readonly appendOnlyTables: readonly string[];
}

const READ_DATABASE_INFO = `
  select current_user as owner, datname as database, pg_has_role(datdba, 'usage') as owns_database
  from pg_database where datname = current_database()`;
const READ_ROLE = `select pg_has_role(rolname, 'usage') as is_member from pg_roles where rolname = $1`;
const OWNS_ANYTHING = `
  select from pg_shdepend d join pg_roles r on r.oid = d.refobjid join pg_database b on b.oid = d.dbid
  where d.refclassid = 'pg_authid'::regclass and d.deptype = 'o' and r.rolname = $1 and b.datname = current_database()
  limit 1`;
const OWN_SCHEMAS = `
  select nspname as name from pg_namespace
  where pg_has_role(nspowner, 'usage') and nspname !~ '^pg_' and nspname <> 'information_schema'`;
const OWN_RELATIONS = `
  select format('%I.%I', n.nspname, c.relname) as name, c.relkind = 'S' as is_sequence,
    n.nspname = 'public' and c.relname = any($1::text[]) as is_append_only,
    n.nspname = 'public' and c.relname = 'migrations' as is_read_only
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relowner = (select oid from pg_roles where rolname = current_user) and c.relkind in ('r', 'p', 'v', 'm', 'S') and n.nspname !~ '^pg_'`;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Makes the current role the owner of all objects of the service role, which an earlier release has created, and grants
 * the service role its rights. Both happen in one transaction, so that a running service never lacks a right. Does nothing
 * if the service role runs the migrations. Error: one line with the SQL that a superuser must run.
 */
export async function reassignTables(session: QueryRunner, rights: SchemaRights): Promise<void> {
  const { serviceRole, owner } = rights;
  if (owner === serviceRole) return;
  const ownsAnything = ((await session.query(OWNS_ANYTHING, [serviceRole])) as object[]).length > 0;
  await requireRights(session, rights, ownsAnything);
  if (!ownsAnything) return grantRights(session, rights);
  const reassign = async () => {
    // The lock timeout bounds how long readers and writers wait behind this statement, and prevents deadlocks.
    await session.query(`set local lock_timeout = ${ownershipLockMs}`);
    await session.query(`reassign owned by ${pg.escapeIdentifier(serviceRole)} to current_user`);
    await applyGrants(session, rights);
  };
  await retry(() => session.manager.transaction(reassign), {
    minPauseMs: ownershipPauseMs,
    maxPauseMs: ownershipPauseMs,
    giveUpAtMs: performance.now() + migrationTimeoutMs,
    isRetryable: (error) => (error as { driverError?: { code?: string } }).driverError?.code === LOCK_NOT_AVAILABLE,
  });
}

/** Grants the service role its rights on existing objects and on those of later migrations. Idempotent. */
export async function grantRights(session: QueryRunner, rights: SchemaRights): Promise<void> {
  if (rights.owner === rights.serviceRole) return;
  await session.manager.transaction(() => applyGrants(session, rights));
}

/** Reads the database and the role of a session. */
export async function readDatabaseInfo(session: QueryRunner): Promise<DatabaseInfo> {
  const [info] = (await session.query(READ_DATABASE_INFO)) as DatabaseInfo[];
  if (info === undefined) throw new Error('The server did not return the name of the database');
  return info;
}

async function requireRights(session: QueryRunner, rights: SchemaRights, mustReassign: boolean): Promise<void> {
  const { serviceRole, owner, database, owns_database: ownsDatabase } = rights;
  const [role] = (await session.query(READ_ROLE, [serviceRole])) as { is_member: boolean }[];
  if (role === undefined) {
    throw new Error(
      `There is no role "${serviceRole}": set DATABASE_URL to the value that the service is started with`,
    );
  }
  const quote = (name: string) => pg.escapeIdentifier(name);
  const statements: string[] = [];
  if (mustReassign && !role.is_member) statements.push(`grant ${quote(serviceRole)} to ${quote(owner)}`);
  if (!ownsDatabase) statements.push(`alter database ${quote(database)} owner to ${quote(owner)}`);
  if (statements.length === 0) return;
  throw new Error(
    `The role "${owner}" cannot migrate the database "${database}". Run this as a superuser and try again: ` +
      statements.map((statement) => `${statement};`).join(' '),
  );
}

interface Relation {
  /** Quoted name with its schema. */
  readonly name: string;
  readonly is_sequence: boolean;
  readonly is_append_only: boolean;
  readonly is_read_only: boolean;
}

async function applyGrants(session: QueryRunner, rights: SchemaRights): Promise<void> {
  const { serviceRole, database, appendOnlyTables } = rights;
  const role = pg.escapeIdentifier(serviceRole);
  const schemas = (await session.query(OWN_SCHEMAS)) as { name: string }[];
  const relations = (await session.query(OWN_RELATIONS, [appendOnlyTables])) as Relation[];
  const statements = [
    `grant connect on database ${pg.escapeIdentifier(database)} to ${role}`,
    ...schemas.map(({ name }) => `grant usage on schema ${pg.escapeIdentifier(name)} to ${role}`),
    `alter default privileges grant select, insert, update, delete on tables to ${role}`,
    `alter default privileges grant usage, select on sequences to ${role}`,
    `alter default privileges grant usage on schemas to ${role}`,
    ...relations.flatMap((relation) => buildGrants(relation, role)),
  ];
  for (const statement of statements) await session.query(statement);
}

function buildGrants({ name, ...relation }: Relation, role: string): string[] {
  if (relation.is_sequence) return [`grant usage, select on sequence ${name} to ${role}`];
  if (relation.is_read_only) return [`revoke all on ${name} from ${role}`, `grant select on ${name} to ${role}`];
  if (relation.is_append_only) {
    return [`revoke all on ${name} from ${role}`, `grant select, insert on ${name} to ${role}`];
  }
  return [`grant select, insert, update, delete on ${name} to ${role}`];
}
