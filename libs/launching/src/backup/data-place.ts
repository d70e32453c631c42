import { access, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CONTROL_FILE, STACK_DATA_DIR, readSettings, type EnvironmentVariables } from '@settle/config';
import { isFolderInUse } from '../data-folder.js';

/** The data folder that a backup is taken of. */
export interface DataPlace {
  readonly dataDir: string;
  /** Null: the server in the data folder. Holds a password: never log it. */
  readonly databaseUrl: string | null;
  /** A Settle of this machine runs on it. */
  readonly isInUse: boolean;
  readonly shape: 'embedded' | 'distributed';
}

/**
 * Finds the data folder that is meant: `DATA_DIR`, else the one on which Settle runs, else the one with data. Errors:
 * one line, when none or more than one can be meant.
 */
export async function findDataPlace(env: EnvironmentVariables): Promise<DataPlace> {
  const { dataDir, databaseUrl } = readSettings({ ...env, PORT: '', KAFKA_PORT: '' });
  const isNamed = (env['DATA_DIR'] ?? '').trim() !== '';
  const folders = isNamed ? [dataDir] : [dataDir, STACK_DATA_DIR];
  const running = await filterFolders(folders, isFolderInUse);
  const found = running.length > 0 ? running : await filterFolders(folders, hasData);
  const [folder, ...others] = found;
  if (folder === undefined) throw new Error(`There is no data of Settle in ${folders.join(' or ')}: set DATA_DIR`);
  if (others.length > 0)
    throw new Error(`There is data of Settle in ${found.join(' and in ')}: say which with DATA_DIR`);
  const isInUse = running.length > 0;
  const isStack = (await exists(join(folder, CONTROL_FILE))) || (await exists(join(folder, 'processes.json')));
  return { dataDir: folder, databaseUrl, isInUse, shape: isStack ? 'distributed' : 'embedded' };
}

/** Where a backup goes unless it is said: beside the data folder, so that the loss of one is not that of the other. */
export function defaultTarget(dataDir: string, takenAt: Date): string {
  const folder = resolve(dataDir);
  const time = takenAt
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  return join(dirname(folder), `${folder.slice(dirname(folder).length + 1)}-backups`, time);
}

/** Whether there are databases in the folder, or the passwords of those on a server of the operator. */
async function hasData(dataDir: string): Promise<boolean> {
  return (await exists(join(dataDir, 'postgres'))) || (await exists(join(dataDir, 'secrets.json')));
}

async function filterFolders(
  folders: readonly string[],
  isWanted: (folder: string) => Promise<boolean>,
): Promise<string[]> {
  const wanted = await Promise.all(folders.map(isWanted));
  return folders.filter((_, at) => wanted[at]);
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The text of a file, or null when there is none. */
export function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
