import { randomBytes } from 'node:crypto';
import { dropServiceDatabase, prepareServiceDatabase } from '@settle/postgres';

export interface FreshDatabase {
  readonly url: string;
  /** Ends what is still connected and removes the database. */
  drop(): Promise<void>;
}

/** An empty database with a role of its own, as a service gets it, on the PostgreSQL of this test run. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const adminUrl = testAdminUrl();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = await prepareServiceDatabase({ adminUrl, name, password: randomBytes(12).toString('hex') });
  return { url, drop: () => dropServiceDatabase({ adminUrl, name }) };
}

/** URL of the superuser of the PostgreSQL of this test run. Only int specs have one. */
export function testAdminUrl(): string {
  const url = process.env['SETTLE_TEST_ADMIN_URL'];
  if (url === undefined) throw new Error('No PostgreSQL runs for this spec: name it *.int.spec.ts');
  return url;
}
