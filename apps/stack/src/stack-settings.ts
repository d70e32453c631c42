import { readSettings, type EnvironmentVariables, type Settings } from '@settle/config';
import { STACK_DATA_DIR, readSettingsAndPort } from '@settle/launching';
import { freePort } from './kept-ports.js';

/** On one machine nobody loses the network: what was silent for so long is dead. */
const SESSION_TIMEOUT_MS = '2000';

/** What holds on one machine unless it is set otherwise. */
export function stackEnvironment(env: EnvironmentVariables): EnvironmentVariables {
  return {
    ...env,
    DATA_DIR: env['DATA_DIR']?.trim() || STACK_DATA_DIR,
    KAFKA_SESSION_TIMEOUT_MS: env['KAFKA_SESSION_TIMEOUT_MS']?.trim() || SESSION_TIMEOUT_MS,
  };
}

/** The settings of the stack; `PORT=0` and `KAFKA_PORT=0` become free ones. Errors: as `readSettingsAndPort`. */
export async function readStackSettings(env: EnvironmentVariables): Promise<Settings> {
  const drawn = env['KAFKA_PORT']?.trim() === '0' ? String(await freePort(0)) : env['KAFKA_PORT'];
  return readSettingsAndPort({ ...stackEnvironment(env), KAFKA_PORT: drawn });
}

/** Where a stack keeps its data. */
export function dataDirOf(env: EnvironmentVariables): string {
  return readSettings({ ...stackEnvironment(env), PORT: '', KAFKA_PORT: '' }).dataDir;
}
