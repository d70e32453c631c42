import { LIMITS, type EnvironmentVariables, type Settings } from '@settle/config';
import { readSettingsAndPort } from '@settle/launching';
import { runUntilStopped } from '@settle/lifecycle';
import { freePort } from '@settle/local-kafka';
import type { Counts } from './arguments.js';
import { stackEnvironment } from './stack-environment.js';
import { Stack } from './stack.js';

/** Is the stack until it is stopped. */
export function runStack(counts: Counts, say: (line: string) => void): Promise<never> {
  return runUntilStopped(async (running) => {
    const settings = await readStackSettings(process.env);
    say(await new Stack(settings, running, say).start(counts));
  }, LIMITS.stack.stopAllWaitMs);
}

/** The settings of the stack; `PORT=0` and `KAFKA_PORT=0` become free ones. Errors: as `readSettingsAndPort`. */
async function readStackSettings(env: EnvironmentVariables): Promise<Settings> {
  const drawn = env['KAFKA_PORT']?.trim() === '0' ? String(await freePort()) : env['KAFKA_PORT'];
  return readSettingsAndPort({ ...stackEnvironment(env), KAFKA_PORT: drawn });
}
