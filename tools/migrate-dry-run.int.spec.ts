import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { DATABASE_SERVICES, type ServiceName } from '@settle/contracts';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import pg from 'pg';

const run = promisify(execFile);
const root = path.dirname(import.meta.dirname);

let database: FreshDatabase;
let url: string;
beforeEach(async () => {
  database = await freshDatabase();
  url = await database.separateMigrations();
});
afterEach(() => database.drop());

async function migrate(service: ServiceName, ...parameters: readonly string[]): Promise<string> {
  const program = path.join(root, 'apps', service, 'dist/migrate.js');
  const env = { ...process.env, MIGRATIONS_DATABASE_URL: url };
  const { stdout } = await run(process.execPath, [program, ...parameters], { env, timeout: 60_000 });
  return stdout;
}

async function query<Row extends object>(text: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('a dry run of migrations', () => {
  it.each(DATABASE_SERVICES)(
    'given an empty database of %s, when it is made, then it names what would run, in that order, and changes nothing',
    async (service) => {
      const listed = await migrate(service, '--dry-run');
      expect(await query(`select from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
      await migrate(service);
      const executed = await query<{ name: string }>('select name from migrations order by id');
      expect(listed).toBe(`${service}: would run ${executed.map(({ name }) => name).join(', ')}\n`);
      expect(await migrate(service, '--dry-run')).toBe(`${service}: would run no migration\n`);
    },
  );
});
