import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LIMITS } from '@settle/config';
import { DATABASE_SERVICES, databaseNameOf, type ServiceName } from '@settle/contracts';
import { programOf, type ServiceDatabases } from '@settle/launching';
import { alignDerivedModes } from '@settle/postgres';

/**
 * Runs the migrations of every service that has a database, side by side, as the roles that own the tables. Rejects
 * with the reason that a command gives; by then all of them have ended.
 * @param env settings of every process, without a database
 */
export async function migrateDatabases(
  databases: ServiceDatabases,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const migrate = async (service: ServiceName): Promise<void> => {
    const { migrations: MIGRATIONS_DATABASE_URL, service: DATABASE_URL } = databases[databaseNameOf(service)];
    const options = {
      env: { ...env, MIGRATIONS_DATABASE_URL, DATABASE_URL },
      timeout: LIMITS.postgres.migrationTimeoutMs,
    };
    await promisify(execFile)(process.execPath, [programOf(service, 'migrate')], options).catch(
      (error: Error & { stderr?: string }) => {
        throw new Error(error.stderr?.trim().split('\n').at(-1) || error.message, { cause: error });
      },
    );
  };
  const ends = await Promise.allSettled(DATABASE_SERVICES.map(migrate));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  await alignDerivedModes(Object.values(databases).map(({ migrations }) => migrations));
}
