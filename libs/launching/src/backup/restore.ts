import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LIMITS } from '@settle/config';
import { createLogger } from '@settle/observability';
import {
  getBundledPostgresVersion,
  copyWithDigest,
  changeFolderOwnerToServer,
  startEmbeddedPostgres,
  stopOrphanedServer,
} from '@settle/postgres';
import { claimDataFolder, findDataFolders } from '../data-folder.js';
import { RESTORE_FOLDER } from '../databases.js';
import { finishRestore, type FinishOrder } from './finish-restore.js';
import { checkFiles, compareFiles, readManifest, syncToDisk, type BackupManifest } from './manifest.js';
import { commandsForRestore } from './own-server.js';
import { progress } from './progress.js';

interface RestoreOrder extends Omit<FinishOrder, 'place' | 'manifest'> {
  /** The folder of the backup. */
  readonly from: string;
}

/**
 * Puts a backup in the place of the databases of a data folder that has none: in a folder beside them, on which
 * PostgreSQL recovers and the ledger is verified; only then is it moved to its place. Errors: one line each, or the
 * commands to run where the PostgreSQL is the operator's.
 */
export async function restore(order: RestoreOrder): Promise<void> {
  const { env, say } = order;
  const from = resolve(order.from);
  const manifest = await readManifest(from);
  const { folders, databaseUrl } = await findDataFolders(env);
  const dataDir = folders.at(manifest.shape === 'distributed' ? -1 : 0) as string;
  say(
    `The backup of ${manifest.takenAt}, ${manifest.shape}, up to position ${manifest.log.newestEvent?.position ?? 0}`,
  );
  const isOwn = databaseUrl !== null;
  if (!isOwn) requireFittingServer(manifest);
  const claim = await claimDataFolder(dataDir);
  try {
    if (!isOwn) await requireNoData(dataDir, from);
    say(`Checking ${manifest.files.length} files`);
    await checkFiles(from, manifest, say);
    if (isOwn) throw new Error(commandsForRestore(from, dataDir).join('\n'));
    await restoreBundled({ ...order, from }, manifest, dataDir);
  } finally {
    await claim.release();
  }
  say(`Restored to ${dataDir}. Start it as before: npm ${manifest.shape === 'embedded' ? 'start' : 'run stack'}`);
}

/** Errors: a copy that the embedded server cannot read. */
function requireFittingServer({ postgres }: BackupManifest): void {
  const platform = `${process.platform}-${process.arch}`;
  if (postgres.platform !== platform) {
    throw new Error(`The backup is of ${postgres.platform}, this machine is ${platform}: the files do not fit`);
  }
  const [major] = getBundledPostgresVersion().split('.');
  const [copied] = postgres.version.split('.');
  if (major !== copied) {
    throw new Error(
      `The backup is of PostgreSQL ${copied}, this Settle has ${major}: restore it with the Settle that took it`,
    );
  }
}

async function requireNoData(dataDir: string, from: string): Promise<void> {
  if (existsSync(join(dataDir, 'postgres'))) {
    throw new Error(`${join(dataDir, 'postgres')} holds databases already: move that folder away first`);
  }
  const kept = await readSecrets(dataDir);
  const copied = await readSecrets(from);
  // One that only one side has was made by a version before or after the backup's.
  if (Object.entries(kept).some(([name, secret]) => name in copied && copied[name] !== secret)) {
    throw new Error(`${join(dataDir, 'secrets.json')} holds passwords of other databases: move that file away first`);
  }
}

async function readSecrets(folder: string): Promise<Record<string, string>> {
  const file = join(folder, 'secrets.json');
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Record<string, string>) : {};
}

async function restoreBundled(order: RestoreOrder, manifest: BackupManifest, dataDir: string): Promise<void> {
  const { from, say } = order;
  const side = join(resolve(dataDir), RESTORE_FOLDER);
  await removeUnfinished(side);
  try {
    say('Copying the files');
    await copyFiles(from, side, manifest, say);
    await changeFolderOwnerToServer(join(side, 'postgres'));
    say('Starting PostgreSQL on them');
    const server = await startEmbeddedPostgres({
      dataDir: side,
      logger: createLogger({ level: 'warn', service: 'restore' }),
      startTimeoutMs: LIMITS.backup.recoverySeconds * 1_000,
    });
    try {
      const place = { dataDir: side, databaseUrl: server.adminUrl };
      await finishRestore({ ...order, place, manifest });
    } finally {
      await server.stop();
    }
    await rename(join(side, 'secrets.json'), join(dataDir, 'secrets.json'));
    await rename(join(side, 'postgres'), join(dataDir, 'postgres'));
    await syncToDisk(dataDir);
  } finally {
    await rm(side, { recursive: true, force: true });
  }
}

/** Removes the rest of a killed restore, its server first. */
async function removeUnfinished(side: string): Promise<void> {
  if (existsSync(join(side, 'postgres'))) await stopOrphanedServer(side);
  await rm(side, { recursive: true, force: true });
}

async function copyFiles(
  from: string,
  side: string,
  { folders, files }: BackupManifest,
  say: (line: string) => void,
): Promise<void> {
  await mkdir(side, { mode: 0o700 });
  for (const folder of folders) await mkdir(join(side, folder), { mode: 0o700 });
  await compareFiles(files, progress('copied', say), ({ path }) => copyWithDigest(join(from, path), join(side, path)));
}
