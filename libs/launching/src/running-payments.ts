import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings, type EnvironmentVariables } from '@settle/config';
import { isProcessAlive } from './process-identity.js';

/** Of `npm start` and of `npm run stack`. */
const DATA_FOLDERS = ['.data', '.data/stack'];
const ROLE = 'settle_payments';

/**
 * The settings by which a command beside a running Settle of this machine reaches its payments: those given, with
 * `DATABASE_URL` being the payments service's own database and `KAFKA_BROKERS` being the stack's. Which Settle it is
 * `DATA_DIR` says, else the one that runs. Where none runs, `DATABASE_URL` must be that database already.
 * Errors: one line, when none or more than one can be meant.
 */
export async function paymentsEnvironment(env: EnvironmentVariables): Promise<EnvironmentVariables> {
  const settings = readSettings({ ...env, PORT: '', KAFKA_PORT: env['KAFKA_PORT'] === '0' ? '' : env['KAFKA_PORT'] });
  const asked = env['DATA_DIR']?.trim() ?? '';
  const running: string[] = [];
  for (const folder of asked === '' ? DATA_FOLDERS : [asked]) if (await isInUse(folder)) running.push(folder);
  const [folder, ...others] = running;
  if (others.length > 0) throw new Error(`Settle runs on ${running.join(' and ')}: say which with DATA_DIR`);
  if (folder === undefined) {
    if (settings.databaseUrl !== null) return env;
    throw new Error('No Settle runs here: start it, set DATA_DIR to its data folder, or DATABASE_URL to its payments');
  }
  const { brokers, port } = settings.kafka;
  const ownBroker = brokers.length === 0 && (await isThere(join(folder, 'control.json')));
  return {
    ...env,
    DATABASE_URL: await databaseUrl(folder, settings.databaseUrl),
    ...(ownBroker ? { KAFKA_BROKERS: `127.0.0.1:${port}` } : {}),
  };
}

async function isInUse(folder: string): Promise<boolean> {
  const holder = await readFile(join(folder, 'settle.pid'), 'utf8').catch(() => null);
  return holder !== null && (await isProcessAlive(holder));
}

/** @param serverUrl the operator's own server; null: the embedded one */
async function databaseUrl(folder: string, serverUrl: string | null): Promise<string> {
  const secrets = JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8')) as Record<string, string>;
  const url = new URL(serverUrl ?? 'postgresql://127.0.0.1');
  if (serverUrl === null) url.port = (await readFile(join(folder, 'postgres', 'settle.port'), 'utf8')).trim();
  url.username = ROLE;
  url.password = encodeURIComponent(secrets[ROLE] ?? '');
  url.pathname = `/${ROLE}`;
  return url.toString();
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
