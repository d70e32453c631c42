import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CONTROL_FILE, type EnvironmentVariables } from '@settle/config';
import { findDataFolders } from '../data-folder.js';

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
  const { folders, running, databaseUrl } = await findDataFolders(env);
  const found = running.length > 0 ? running : folders.filter(hasData);
  const [folder, ...others] = found;
  if (folder === undefined) throw new Error(`There is no data of Settle in ${folders.join(' or ')}: set DATA_DIR`);
  if (others.length > 0)
    throw new Error(`There is data of Settle in ${found.join(' and in ')}: say which with DATA_DIR`);
  const isInUse = running.length > 0;
  const isStack = existsSync(join(folder, CONTROL_FILE)) || existsSync(join(folder, 'processes.json'));
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
function hasData(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres')) || existsSync(join(dataDir, 'secrets.json'));
}
