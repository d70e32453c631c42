import { readSettings, type EnvironmentVariables, type Settings } from '@settle/config';
import { isFolderInUse } from './data-folder.js';

/** Where `npm run stack` keeps its data: apart from `.data` of `npm start`, whose database is another one. */
export const STACK_DATA_DIR = '.data/stack';

/**
 * The settings of what runs on this machine: on the data folder that is set, else on the usual one of `npm start` or of
 * `npm run stack`. Errors: one line when nothing runs there, or both do.
 */
export async function settingsOfRunning(env: EnvironmentVariables): Promise<Settings> {
  const settings = readSettings(env);
  const isSet = (env['DATA_DIR'] ?? '').trim() !== '';
  const folders = isSet ? [settings.dataDir] : [settings.dataDir, STACK_DATA_DIR];
  const inUse = await Promise.all(folders.map(isFolderInUse));
  const running = folders.filter((_, at) => inUse[at]);
  const [dataDir] = running;
  if (dataDir === undefined) {
    throw new Error(
      `Nothing runs on ${folders.join(' or ')}: start it with npm start or npm run stack, or set DATA_DIR`,
    );
  }
  if (running.length > 1) throw new Error(`Which one? Set DATA_DIR to ${folders.join(' or ')}: both are in use`);
  return { ...settings, dataDir };
}
