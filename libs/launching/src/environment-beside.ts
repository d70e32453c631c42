import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTROL_FILE, type ControlNote, type EnvironmentVariables } from '@settle/config';
import type { DatabaseName } from '@settle/contracts';
import { findDataFolders } from './data-folder.js';
import { databaseUrlOf, migrationsUrlOf } from './databases.js';

/**
 * The settings by which a command beside a running Settle of this machine does what one of its services may: those
 * given, with `DATABASE_URL` being that service's own database, `MIGRATIONS_DATABASE_URL` the same as the role that owns
 * its tables, and `KAFKA_BROKERS` being the stack's, none in one process.
 * Which Settle it is `DATA_DIR` says, else the one that runs. Where none runs, `DATABASE_URL` must be that database
 * already. Errors: one line, when none or more than one can be meant.
 */
export async function environmentBeside(
  service: DatabaseName,
  env: EnvironmentVariables,
): Promise<EnvironmentVariables> {
  const { folders, running, databaseUrl } = await findDataFolders(env);
  const [folder, ...others] = running;
  if (others.length > 0) throw new Error(`Settle runs on ${folders.join(' and on ')}: say which with DATA_DIR`);
  if (folder === undefined) {
    if (databaseUrl !== null) return env;
    throw new Error(
      `No Settle runs on ${folders.join(' or ')}: start it, set DATA_DIR to its data folder, or DATABASE_URL to the ` +
        `database of its ${service} service`,
    );
  }
  const place = { dataDir: folder, databaseUrl };
  return {
    ...env,
    DATABASE_URL: await databaseUrlOf(service, place),
    MIGRATIONS_DATABASE_URL: await migrationsUrlOf(service, place),
    KAFKA_BROKERS: (await brokersOn(folder)).join(','),
  };
}

async function brokersOn(folder: string): Promise<readonly string[]> {
  const note = await readFile(join(folder, CONTROL_FILE), 'utf8').catch(() => null);
  return note === null ? [] : (JSON.parse(note) as ControlNote).brokers;
}
