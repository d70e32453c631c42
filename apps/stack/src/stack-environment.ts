import { STACK_DATA_DIR, readSettings, type EnvironmentVariables, type Settings } from '@settle/config';

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

/**
 * Environment of every process of a stack, without a database: each service gets only its own.
 * @param brokers `host:port` each
 */
export function processEnvironment(
  { publicUrl, kafka, dataDir }: Pick<Settings, 'publicUrl' | 'kafka' | 'dataDir'>,
  brokers: readonly string[],
): Record<string, string | undefined> {
  return {
    ...process.env,
    DATABASE_URL: undefined,
    DATABASE_URL_FILE: undefined,
    MIGRATIONS_DATABASE_URL: undefined,
    MIGRATIONS_DATABASE_URL_FILE: undefined,
    PORT: undefined,
    // Instances get their connections from the dispatcher; each listens on a port of its own.
    PROVIDER_CALLBACKS_PORT: '0',
    HOST: undefined,
    KAFKA_PORT: undefined,
    DATA_DIR: dataDir,
    PUBLIC_URL: publicUrl,
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_SESSION_TIMEOUT_MS: String(kafka.sessionTimeoutMs),
  };
}

/** Where a stack keeps its data. */
export function dataDirOf(env: EnvironmentVariables): string {
  return readSettings({ ...stackEnvironment(env), PORT: '', KAFKA_PORT: '' }).dataDir;
}
