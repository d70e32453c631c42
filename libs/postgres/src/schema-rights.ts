import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';

const { migrationTimeoutMs, ownershipLockMs, ownershipPauseMs } = LIMITS.postgres;

/** The role that owns the tables of a service's database, by the name of the role that the service runs as. */
export const migrationsRoleOf = (serviceRole: string): string => `${serviceRole}_migrations`;

/** The two roles of a service's database, and what only one of them may do. */
export interface SchemaRights {
  /** The service runs as this role: it reads and writes rows, and changes no table. */
  readonly serviceRole: string;
  /** Tables to which the service role may add rows, and in which it may change none. */
  readonly appendOnlyTables: readonly string[];
}

const PLACE = `
  select current_user as owner, datname as database, pg_has_role(datdba, 'usage') as owns_database
  from pg_database where datname = current_database()`;
const ROLE = `select pg_has_role(rolname, 'usage') as is_member from pg_roles where rolname = $1`;
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
 * Takes over what the service role owns in this database, as it does where a release before this one has made the
 * tables, and gives the service role its rights. One transaction: a service that runs meanwhile never lacks a right.
 * Does nothing where the service role is the one that migrates. Errors: one line with the SQL that a superuser runs.
 */
export async function takeOverTables(session: QueryRunner, rights: SchemaRights): Promise<void> {
  const { serviceRole } = rights;
  if (await isOneRole(session, serviceRole)) return;
  const ownsAnything = ((await session.query(OWNS_ANYTHING, [serviceRole])) as object[]).length > 0;
  await requireRights(session, serviceRole, ownsAnything);
  if (!ownsAnything) return grantRights(session, rights);
  const giveUpAtMs = performance.now() + migrationTimeoutMs;
  for (;;) {
    await session.startTransaction();
    try {
      // Whoever reads or writes the tables waits behind this: for a moment, and never in a deadlock.
      await session.query(`set local lock_timeout = ${ownershipLockMs}`);
      await session.query(`reassign owned by ${pg.escapeIdentifier(serviceRole)} to current_user`);
      await grantStatements(session, rights);
      return await session.commitTransaction();
    } catch (error) {
      await session.rollbackTransaction();
      const { code } = (error as { driverError?: { code?: string } }).driverError ?? {};
      if (code !== LOCK_NOT_AVAILABLE || performance.now() > giveUpAtMs) throw error;
    }
    await pause(ownershipPauseMs);
  }
}

/** Gives the service role its rights on all that there is, and on what later migrations make. May run again. */
export async function grantRights(session: QueryRunner, rights: SchemaRights): Promise<void> {
  if (await isOneRole(session, rights.serviceRole)) return;
  await session.startTransaction();
  try {
    await grantStatements(session, rights);
    await session.commitTransaction();
  } catch (error) {
    await session.rollbackTransaction();
    throw error;
  }
}

async function isOneRole(session: QueryRunner, serviceRole: string): Promise<boolean> {
  return (await placeOf(session)).owner === serviceRole;
}

interface Place {
  readonly owner: string;
  readonly database: string;
  readonly owns_database: boolean;
}

async function placeOf(session: QueryRunner): Promise<Place> {
  const [place] = (await session.query(PLACE)) as Place[];
  if (place === undefined) throw new Error('The server does not say which database this is');
  return place;
}

async function requireRights(session: QueryRunner, serviceRole: string, takesOver: boolean): Promise<void> {
  const { owner, database, owns_database: ownsDatabase } = await placeOf(session);
  const [role] = (await session.query(ROLE, [serviceRole])) as { is_member: boolean }[];
  if (role === undefined) {
    throw new Error(`There is no role "${serviceRole}": set DATABASE_URL to the one that the service is started with`);
  }
  const name = (text: string) => pg.escapeIdentifier(text);
  const statements: string[] = [];
  if (takesOver && !role.is_member) statements.push(`grant ${name(serviceRole)} to ${name(owner)}`);
  if (!ownsDatabase) statements.push(`alter database ${name(database)} owner to ${name(owner)}`);
  if (statements.length === 0) return;
  throw new Error(
    `The role "${owner}" cannot migrate the database "${database}". Run this as a superuser and try again: ` +
      statements.map((statement) => `${statement};`).join(' '),
  );
}

interface Relation {
  /** With its schema, quoted. */
  readonly name: string;
  readonly is_sequence: boolean;
  readonly is_append_only: boolean;
  readonly is_read_only: boolean;
}

async function grantStatements(session: QueryRunner, { serviceRole, appendOnlyTables }: SchemaRights): Promise<void> {
  const role = pg.escapeIdentifier(serviceRole);
  const { database } = await placeOf(session);
  const schemas = (await session.query(OWN_SCHEMAS)) as { name: string }[];
  const relations = (await session.query(OWN_RELATIONS, [appendOnlyTables])) as Relation[];
  const statements = [
    `grant connect on database ${pg.escapeIdentifier(database)} to ${role}`,
    ...schemas.map(({ name }) => `grant usage on schema ${pg.escapeIdentifier(name)} to ${role}`),
    `alter default privileges grant select, insert, update, delete on tables to ${role}`,
    `alter default privileges grant usage, select on sequences to ${role}`,
    `alter default privileges grant usage on schemas to ${role}`,
    ...relations.flatMap((relation) => rightsOn(relation, role)),
  ];
  for (const statement of statements) await session.query(statement);
}

function rightsOn({ name, ...relation }: Relation, role: string): string[] {
  if (relation.is_sequence) return [`grant usage, select on sequence ${name} to ${role}`];
  if (relation.is_read_only) return [`revoke all on ${name} from ${role}`, `grant select on ${name} to ${role}`];
  if (relation.is_append_only) {
    return [`revoke all on ${name} from ${role}`, `grant select, insert on ${name} to ${role}`];
  }
  return [`grant select, insert, update, delete on ${name} to ${role}`];
}
