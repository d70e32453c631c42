import { randomBytes } from 'node:crypto';
import { dropServiceDatabase, prepareMigrationsRole, prepareServiceDatabase } from '@settle/postgres';
import pg from 'pg';

export interface FreshDatabase {
  readonly url: string;
  /** Creates a second role that owns the database, as the product does, and returns its URL. Until then there is one role. */
  separateMigrations(password?: string): Promise<string>;
  /** Ends open connections and removes the database. */
  drop(): Promise<void>;
  /** Ends every connection and rejects new ones, like an unavailable server, until `reconnect`. */
  disconnect(): Promise<void>;
  reconnect(): Promise<void>;
}

/** Creates an empty database with its own role, as a service gets it, on the PostgreSQL of this test run. */
export async function freshDatabase(
  name = `test_${randomBytes(6).toString('hex')}`,
  password = randomBytes(12).toString('hex'),
): Promise<FreshDatabase> {
  const adminUrl = testAdminUrl();
  const url = await prepareServiceDatabase({ adminUrl, name, password });
  return {
    url,
    separateMigrations: (its = password) => prepareMigrationsRole({ adminUrl, name, password: its }),
    drop: () => dropServiceDatabase({ adminUrl, name }),
    disconnect: () =>
      asAdmin([
        `alter role ${name} connection limit 0`,
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}'`,
      ]),
    reconnect: () => asAdmin([`alter role ${name} connection limit -1`]),
  };
}

async function asAdmin(statements: readonly string[]): Promise<void> {
  const client = new pg.Client(testAdminUrl());
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Returns the URL of the superuser of the PostgreSQL of this test run. Only int specs have one. */
export function testAdminUrl(): string {
  const url = process.env['SETTLE_TEST_ADMIN_URL'];
  if (url === undefined) throw new Error('No PostgreSQL runs for this spec: name it *.int.spec.ts');
  return url;
}
