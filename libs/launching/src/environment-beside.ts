import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTROL_FILE, type ControlNote, type EnvironmentVariables } from '@settle/config';
import type { DatabaseName } from '@settle/contracts';
import { readDataKey } from './data-key.js';
import { findDataFolders } from './data-folder.js';
import { databaseUrlOf, migrationsUrlOf } from './databases.js';
import { readProviderEnvironment } from './reference-provider.js';

/**
 * Returns `env` with the settings by which an operator's command acts as one of the services of a running Settle:
 * `DATABASE_URL` is the service's database, `MIGRATIONS_DATABASE_URL` the same as the role that owns the tables, and
 * `KAFKA_BROKERS` the brokers of the stack, none in the embedded shape. Commands of payments use the reference provider
 * that runs there, unless `env` names another one, and the key of notes that is kept there. `DATA_DIR` selects the Settle if several run.
 * If none runs, `DATABASE_URL` must be that database already. Errors: one line, if none or several match.
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
  const hasProvider = service !== 'payments' || (env['FUNDING_PROVIDER_URL'] ?? '').trim() !== '';
  return {
    ...env,
    ...(!hasProvider && (await readProviderEnvironment(folder))),
    ...(service === 'payments' && (await readDataKey(folder, env))),
    DATABASE_URL: await databaseUrlOf(service, place),
    MIGRATIONS_DATABASE_URL: await migrationsUrlOf(service, place),
    KAFKA_BROKERS: (await brokersOn(folder)).join(','),
  };
}

async function brokersOn(folder: string): Promise<readonly string[]> {
  const note = await readFile(join(folder, CONTROL_FILE), 'utf8').catch(() => null);
  return note === null ? [] : (JSON.parse(note) as ControlNote).brokers;
}
