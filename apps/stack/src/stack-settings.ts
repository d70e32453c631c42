import type { EnvironmentVariables, Settings } from '@settle/config';
import { readSettingsAndPort } from '@settle/launching';
import { freePort } from './reserved-ports.js';
import { stackEnvironment } from './stack-environment.js';

/** The settings of the stack; `PORT=0` and `KAFKA_PORT=0` become free ones. Errors: as `readSettingsAndPort`. */
export async function readStackSettings(env: EnvironmentVariables): Promise<Settings> {
  const drawn = env['KAFKA_PORT']?.trim() === '0' ? String(await freePort(0)) : env['KAFKA_PORT'];
  return readSettingsAndPort({ ...stackEnvironment(env), KAFKA_PORT: drawn });
}
