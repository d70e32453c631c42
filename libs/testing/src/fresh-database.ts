import { randomBytes } from 'node:crypto';
import { dropServiceDatabase, prepareMigrationsRole, prepareServiceDatabase } from '@settle/postgres';
import pg from 'pg';

export interface FreshDatabase {
  readonly url: string;
  /** Makes a second role that owns the database, as the product does; gives its URL. Until then there is one role. */
  separateMigrations(password?: string): Promise<string>;
  /** Ends what is still connected and removes the database. */
  drop(): Promise<void>;
  /** Ends every connection and refuses new ones, like an unavailable server, until `comeBack`. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
}

/** An empty database with a role of its own, as a service gets it, on the PostgreSQL of this test run. */
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
    goAway: () =>
      asAdmin([
        `alter role ${name} connection limit 0`,
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}'`,
      ]),
    comeBack: () => asAdmin([`alter role ${name} connection limit -1`]),
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

/** URL of the superuser of the PostgreSQL of this test run. Only int specs have one. */
export function testAdminUrl(): string {
  const url = process.env['SETTLE_TEST_ADMIN_URL'];
  if (url === undefined) throw new Error('No PostgreSQL runs for this spec: name it *.int.spec.ts');
  return url;
}
