import type { ClientBase } from 'pg';

/** A schema and names of tables in it: trusted names, never input. */
export interface Tables {
  readonly schema: string;
  readonly names: readonly string[];
}

const CONSTRAINTS = `
  select format('alter table %I.%I add constraint %I %s', $3::text, t.relname, c.conname, pg_get_constraintdef(c.oid))
  from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_namespace n on n.oid = t.relnamespace
  where n.nspname = $1 and t.relname = any($2::text[]) and c.contype in ('p', 'u', 'x')
  order by t.relname, c.conname`;
const INDEXES = `
  select replace(pg_get_indexdef(i.indexrelid), format(' ON %I.%I ', $1::text, t.relname),
    format(' ON %I.%I ', $3::text, t.relname))
  from pg_index i join pg_class t on t.oid = i.indrelid join pg_namespace n on n.oid = t.relnamespace
  where n.nspname = $1 and t.relname = any($2::text[])
    and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
  order by 1`;
const OPTIONS = `
  select format('alter table %I.%I set (%s)', $3::text, t.relname, array_to_string(t.reloptions, ', '))
  from pg_class t join pg_namespace n on n.oid = t.relnamespace
  where n.nspname = $1 and t.relname = any($2::text[]) and t.reloptions is not null
  order by 1`;
const GRANTS = `
  select format('grant %s on %I.%I to %s', g.privilege_type, $3::text, t.relname,
    case g.grantee when 0 then 'public' else g.grantee::regrole::text end)
  from pg_class t join pg_namespace n on n.oid = t.relnamespace, aclexplode(t.relacl) g
  where n.nspname = $1 and t.relname = any($2::text[]) and g.grantee <> t.relowner
  order by 1`;
const COLUMNS = `
  select format('%I.%I %s %s %s', $3::text, t.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull)
  from pg_class t join pg_namespace n on n.oid = t.relnamespace
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  where n.nspname = $1 and t.relname = any($2::text[])
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
