import { STACK_DATA_DIR, readSettings, type EnvironmentVariables } from '@settle/config';

/** On one machine there is no network to lose: a process that was silent for this long is dead. */
const SESSION_TIMEOUT_MS = '2000';

/** Default settings on one machine. */
export function stackEnvironment(env: EnvironmentVariables): EnvironmentVariables {
  return {
    ...env,
    DATA_DIR: env['DATA_DIR']?.trim() || STACK_DATA_DIR,
    KAFKA_SESSION_TIMEOUT_MS: env['KAFKA_SESSION_TIMEOUT_MS']?.trim() || SESSION_TIMEOUT_MS,
  };
}

/** Where a stack keeps its data. */
export function dataDirOf(env: EnvironmentVariables): string {
  return readSettings({ ...stackEnvironment(env), PORT: '', KAFKA_PORT: '' }).dataDir;
}
