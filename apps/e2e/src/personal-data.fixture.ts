import { DATABASE_SERVICES, databaseNameOf } from '@settle/contracts';
import pg from 'pg';
import { bundledDatabaseUrl } from './bundled-database.fixture.js';

const TABLES = `
  select format('%I.%I', schemaname, tablename) as name from pg_tables
  where schemaname not in ('pg_catalog', 'information_schema') order by 1`;

/**
 * Searches every row of every table of the product, the event log included, for texts in any case. Returns what was found:
 * database, table and text.
 * @param dataDir of a product with the bundled PostgreSQL
 */
export async function findInTables(dataDir: string, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const service of DATABASE_SERVICES) {
    const database = `settle_${databaseNameOf(service)}`;
    const client = new pg.Client(await bundledDatabaseUrl(dataDir, database));
    await client.connect();
    const inDatabase = await searchTables(client, texts).finally(() => client.end());
    found.push(...inDatabase.map((each) => `${database}: ${each}`));
  }
  return found;
}

async function searchTables(client: pg.Client, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const { rows: tables } = await client.query<{ name: string }>(TABLES);
  for (const { name } of tables) {
    const search = `
      select wanted, count(*)::int as count from unnest($1::text[]) as wanted
      join ${name} searched on position(lower(wanted) in lower(searched::text)) > 0 group by wanted`;
    const { rows } = await client.query<{ wanted: string; count: number }>(search, [texts]);
    found.push(...rows.map(({ wanted, count }) => `${name} has ${count} rows with "${wanted}"`));
  }
  return found;
}
