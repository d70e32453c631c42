import { SettingsError, readSettings } from '@settle/config';
import { migrateSchema, readPendingMigrations, type ServiceSchema } from './service-schema.js';

const [EXIT_OK, EXIT_FAILED] = [0, 1];

/**
 * Runs `node apps/<service>/dist/migrate.js`: migrates the database of the service, prints the result as one line and
 * sets the exit code. With `--dry-run` it prints the migrations that would run and changes nothing. The user in `DATABASE_URL`, if it is set, is the role that the service runs as.
 */
export async function runMigrateCommand(schema: ServiceSchema): Promise<void> {
  const { service } = schema;
  try {
    const { migrationsDatabaseUrl: url, databaseUrl } = readSettings(process.env);
    if (url === null) throw new SettingsError(['MIGRATIONS_DATABASE_URL: it is required but not set']);
    if (process.argv.includes('--dry-run')) {
      const pending = await readPendingMigrations(schema, url);
      const listed = pending.length === 0 ? 'no migration' : pending.join(', ');
      process.stdout.write(`${service}: would run ${listed}\n`);
      process.exitCode = EXIT_OK;
      return;
    }
    const executed = await migrateSchema(schema, url, parseRole(databaseUrl));
    const count = executed.length === 1 ? '1 migration' : `${executed.length} migrations`;
    process.stdout.write(`${service}: the database is up to date, ${count} ran\n`);
    process.exitCode = EXIT_OK;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${service}: the database was not migrated: ${text.split('\n')[0]}\n`);
    process.exitCode = EXIT_FAILED;
  }
}

/** Returns the user in a URL; undefined if there is none. */
function parseRole(url: string | null): string | undefined {
  const username = url === null ? '' : decodeURIComponent(new URL(url).username);
  return username === '' ? undefined : username;
}
