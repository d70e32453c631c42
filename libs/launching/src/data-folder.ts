import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { STACK_DATA_DIR, readSettings, type EnvironmentVariables } from '@settle/config';
import { isProcessAlive, processIdentity } from './process-identity.js';

/** A folder that only this process uses until `release`. */
export interface ClaimedFolder {
  release(): Promise<void>;
}

const CLAIM = 'settle.pid';
const CLAIM_TRIES = 5;

/**
 * Makes the data folder and claims it for this process, taking over what a killed process left claimed.
 * Errors: one line each, when the folder can't be written or another process that is alive holds it.
 */
export async function claimDataFolder(dataDir: string): Promise<ClaimedFolder> {
  const folder = resolve(dataDir);
  const claim = join(folder, CLAIM);
  const mine = await processIdentity(process.pid);
  try {
    await mkdir(folder, { recursive: true });
    await takeClaim(claim, mine);
  } catch (error) {
    if (error instanceof FolderInUse) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Error(`The data folder ${folder} cannot be written (${code}): set DATA_DIR to one that can`);
  }
  return { release: () => rm(claim, { force: true }) };
}

/**
 * Returns the data folders that a command can mean: `DATA_DIR`, or those of `npm start` and of the stack if it is not
 * set; with the ones on which a Settle runs, and `DATABASE_URL`.
 */
export async function findDataFolders(env: EnvironmentVariables) {
  const { dataDir, databaseUrl } = readSettings({ ...env, PORT: '', KAFKA_PORT: '' });
  const isNamed = (env['DATA_DIR'] ?? '').trim() !== '';
  const folders = isNamed ? [dataDir] : [dataDir, STACK_DATA_DIR];
  const areInUse = await Promise.all(folders.map(isFolderInUse));
  return { folders, running: folders.filter((_, at) => areInUse[at]), databaseUrl };
}

/** Whether a process that is alive holds the folder. */
async function isFolderInUse(dataDir: string): Promise<boolean> {
  const holder = await readFile(join(resolve(dataDir), CLAIM), 'utf8').catch(() => null);
  return holder !== null && isProcessAlive(holder);
}

/** Another process holds the folder. */
class FolderInUse extends Error {}

/** The claim appears together with its content, and of several claimants one gets it: that is what `link` does. */
async function takeClaim(claim: string, mine: string): Promise<void> {
  const draft = `${claim}.${randomUUID()}`;
  await writeFile(draft, mine);
  try {
    for (let attempt = 1; attempt <= CLAIM_TRIES; attempt += 1) {
      if (await linked(draft, claim)) return;
      const holder = await readFile(claim, 'utf8').catch(() => null);
      if (holder === null) continue;
      if (await isProcessAlive(holder)) break;
      await discard(claim, holder);
    }
    const [pid] = (await readFile(claim, 'utf8').catch(() => '?')).split(' ');
    throw new FolderInUse(`Settle already runs on this data folder (process ${pid}): stop it, or set DATA_DIR`);
  } finally {
    await rm(draft, { force: true });
  }
}

function linked(draft: string, claim: string): Promise<boolean> {
  return link(draft, claim).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

/** Removes a dead claim; puts it back if another process has claimed the folder since. */
async function discard(claim: string, dead: string): Promise<void> {
  const aside = `${claim}.${randomUUID()}`;
  await rename(claim, aside).catch(() => undefined);
  const removed = await readFile(aside, 'utf8').catch(() => dead);
  if (removed !== dead) await linked(aside, claim);
  await rm(aside, { force: true });
}
