import type { ClientBase } from 'pg';

/** A schema and names of tables in it: trusted names, never input. */
export interface Tables {
  readonly schema: string;
  readonly names: readonly string[];
}

/** From clause of the tables: schema and names are the first two parameters, the third is the schema that a result names. */
const TABLES = `pg_class t join pg_namespace n on n.oid = t.relnamespace and n.nspname = $1 and t.relname = any($2::text[])`;
const CONSTRAINTS = `
  select format('alter table %I.%I add constraint %I %s', $3::text, t.relname, c.conname, pg_get_constraintdef(c.oid))
  from ${TABLES} join pg_constraint c on c.conrelid = t.oid and c.contype in ('p', 'u', 'x') order by t.relname, c.conname`;
const INDEXES = `
  select replace(pg_get_indexdef(i.indexrelid), format(' ON %I.%I ', $1::text, t.relname),
    format(' ON %I.%I ', $3::text, t.relname))
  from ${TABLES} join pg_index i on i.indrelid = t.oid
  where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
  order by 1`;
const OPTIONS = `
  select format('alter table %I.%I set (%s)', $3::text, t.relname, array_to_string(t.reloptions, ', '))
  from ${TABLES} where t.reloptions is not null order by 1`;
const GRANTS = `
  select format('grant %s on %I.%I to %s', g.privilege_type, $3::text, t.relname,
    case g.grantee when 0 then 'public' else g.grantee::regrole::text end)
  from ${TABLES}, aclexplode(t.relacl) g where g.grantee <> t.relowner order by 1`;
const COLUMNS = `
  select format('%I.%I %s %s %s', $3::text, t.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull)
  from ${TABLES} join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  order by t.relname, a.attname`;

/**
 * Creates empty tables of the same names in another schema, with the columns, checks, keys, index names, storage
 * options and grants that the live tables have now.
 */
export async function createCopies(client: ClientBase, { schema, names }: Tables, into: string): Promise<void> {
  for (const name of names) {
    await client.query(`create table ${into}.${name} (like ${schema}.${name} including all excluding indexes)`);
  }
  for (const listing of [CONSTRAINTS, INDEXES, OPTIONS, GRANTS]) {
    for (const statement of await texts(client, listing, [schema, names, into])) await client.query(statement);
  }
}

/** Returns a description of the tables without their schema; it is equal for tables that can replace each other. */
export async function shapeOf(client: ClientBase, { schema, names }: Tables): Promise<string> {
  const shape: string[] = [];
  for (const listing of [COLUMNS, CONSTRAINTS, INDEXES]) {
    shape.push(...(await texts(client, listing, [schema, names, 'any'])));
  }
  return shape.join('\n');
}

async function texts(client: ClientBase, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await client.query<[string]>({ text, values, rowMode: 'array' });
  return rows.map(([statement]) => statement);
}
