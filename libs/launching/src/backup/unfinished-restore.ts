import { join } from 'node:path';
import { exists } from './data-place.js';

/** In the data folder: where a restore works until the databases are moved to their place. */
export const RESTORE_FOLDER = 'restoring';

/**
 * Errors: one line, when a restore into this data folder was killed before its databases were in their place. A start
 * would make new, empty ones there.
 */
export async function requireNoUnfinishedRestore(dataDir: string): Promise<void> {
  const hasDatabases = await exists(join(dataDir, 'postgres'));
  if (hasDatabases || !(await exists(join(dataDir, RESTORE_FOLDER)))) return;
  const left = join(dataDir, RESTORE_FOLDER);
  throw new Error(`A restore did not come to its end (${left}): run npm run restore again, or remove that folder`);
}
