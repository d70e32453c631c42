import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LIMITS } from '@settle/config';
import type { ServiceDatabases } from '@settle/launching';
import { alignDerivedModes } from '@settle/postgres';
import { GROUPS } from './arguments.js';
import { SERVICES, migrationsOf } from './services.js';

/**
 * Runs the migrations of every service that has a database, side by side, as the roles that own the tables. Rejects
 * with the reason that a command gives; by then all of them have ended.
 * @param env settings of every process, without a database
 */
export async function migrateDatabases(
  databases: ServiceDatabases,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const migrate = async (group: (typeof GROUPS)[number]): Promise<void> => {
    const { database } = SERVICES[group];
    if (database === null) return;
    const { migrations: MIGRATIONS_DATABASE_URL, service: DATABASE_URL } = databases[database];
    const options = {
      env: { ...env, MIGRATIONS_DATABASE_URL, DATABASE_URL },
      timeout: LIMITS.postgres.migrationTimeoutMs,
    };
    await promisify(execFile)(process.execPath, [migrationsOf(group)], options).catch(
      (error: Error & { stderr?: string }) => {
        throw new Error(error.stderr?.trim().split('\n').at(-1) || error.message, { cause: error });
      },
    );
  };
  const ends = await Promise.allSettled(GROUPS.map(migrate));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  await alignDerivedModes(Object.values(databases).map(({ migrations }) => migrations));
}
