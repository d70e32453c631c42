import { SettingsError, readSettings } from '@settle/config';
import { migrateSchema, type ServiceSchema } from './service-schema.js';

const [DONE, FAILED] = [0, 1];

/**
 * `node apps/<service>/dist/migrate.js`: brings the service's database up to date, says what it did in one line and
 * sets the exit code. `DATABASE_URL` beside `MIGRATIONS_DATABASE_URL` says which role the service runs as.
 */
export async function runMigrateCommand(schema: ServiceSchema): Promise<void> {
  const { service } = schema;
  try {
    const { migrationsDatabaseUrl: url, databaseUrl } = readSettings(process.env);
    if (url === null) throw new SettingsError(['MIGRATIONS_DATABASE_URL: it is needed here and not set']);
    const executed = await migrateSchema(schema, url, roleIn(databaseUrl));
    const count = executed.length === 1 ? '1 migration' : `${executed.length} migrations`;
    process.stdout.write(`${service}: the database is up to date, ${count} ran\n`);
    process.exitCode = DONE;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${service}: the database was not migrated: ${text.split('\n')[0]}\n`);
    process.exitCode = FAILED;
  }
}

/** The user in an address; undefined: none is named. */
function roleIn(url: string | null): string | undefined {
  const username = url === null ? '' : decodeURIComponent(new URL(url).username);
  return username === '' ? undefined : username;
}
