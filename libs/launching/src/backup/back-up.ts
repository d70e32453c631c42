import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { forEachConcurrent } from '@settle/concurrency';
import { LIMITS, type EnvironmentVariables } from '@settle/config';
import type { LogState } from '@settle/contracts';
import { createLogger } from '@settle/observability';
import {
  copyRunningCluster,
  computeDigest,
  readEmbeddedAdminUrl,
  startEmbeddedPostgres,
  type FileDigest,
} from '@settle/postgres';
import { claimDataFolder } from '../data-folder.js';
import { databaseUrlOf } from '../databases.js';
import { defaultTarget, findDataPlace, type DataPlace } from './data-place.js';
import { FORMAT, sumBytes, syncToDisk, writeManifest, type BackupManifest } from './manifest.js';
import { copyOwnServer, listOwnCopy } from './own-server.js';
import { progress, sizeText } from './progress.js';
import { readLogState } from './service-commands.js';

export interface BackupOrder {
  readonly env: EnvironmentVariables;
  /** Null: `defaultTarget`. */
  readonly to: string | null;
  /** The folder already holds a copy that `pg_basebackup` made elsewhere: only the rest is added. */
  readonly isCopied: boolean;
  readonly settleVersion: string;
  readonly say: (line: string) => void;
}

/** The fields that a copy of PostgreSQL adds to the manifest. */
type Copied = Pick<BackupManifest, 'postgres' | 'folders' | 'files'>;

const SECRETS = 'secrets.json';
const POSTGRES = 'postgres';

/**
 * Takes a backup of all databases as of one moment, with the passwords that belong to them, while Settle serves or when
 * it does not run. The folder has its name only when it is complete. Returns the folder. Errors: one line each.
 */
export async function backUp(order: BackupOrder): Promise<string> {
  const takenAt = new Date();
  const place = await findDataPlace(order.env);
  const target = resolve(order.to ?? defaultTarget(place.dataDir, takenAt));
  checkTarget(target, place, order.isCopied);
  const draft = order.isCopied ? target : `${target}.partial`;
  if (!order.isCopied) await rm(draft, { recursive: true, force: true });
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  if (!order.isCopied) await mkdir(join(draft, POSTGRES), { recursive: true, mode: 0o700 });
  await chmod(draft, 0o700);
  try {
    const { log, copied } = await (place.databaseUrl === null ? copyBundled : copyOwn)(order, place, draft);
    const secrets = await copySecrets(place.dataDir, draft);
    const { settleVersion } = order;
    const manifest: BackupManifest = {
      format: FORMAT,
      takenAt: takenAt.toISOString(),
      settleVersion,
      shape: place.shape,
      ...copied,
      log,
      files: [...copied.files, secrets],
    };
    const paths = [...manifest.files.map(({ path }) => path), ...manifest.folders];
    await forEachConcurrent(paths, LIMITS.backup.filesAtOnce, (path) => syncToDisk(join(draft, path)));
    await writeManifest(draft, manifest);
    await syncToDisk(draft);
    if (!order.isCopied) await rename(draft, target);
    await syncToDisk(dirname(target));
    order.say(`Backed up ${manifest.files.length} files, ${sizeText(sumBytes(manifest.files))}, to ${target}`);
    return target;
  } catch (error) {
    if (!order.isCopied) await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

function checkTarget(target: string, { dataDir }: DataPlace, isCopied: boolean): void {
  const inCluster = relative(resolve(dataDir, POSTGRES), target);
  if (inCluster === '' || !inCluster.startsWith('..')) {
    throw new Error(`${target} is in the folder that is backed up: name another one with --to`);
  }
  if (isCopied) {
    if (existsSync(join(target, POSTGRES, 'PG_VERSION'))) return;
    throw new Error(`${join(target, POSTGRES)} holds no copy of a PostgreSQL`);
  }
  if (existsSync(target)) throw new Error(`${target} already exists: name another folder with --to`);
}

/** The settings of payments-service's commands, with the database that is its own. */
function besidePayments(env: EnvironmentVariables, databaseUrl: string): EnvironmentVariables {
  return { ...env, DATABASE_URL: databaseUrl, PORT: '', KAFKA_PORT: '' };
}

/** From the server in the data folder, which is started for as long as it takes where it does not run. */
async function copyBundled(
  { env, say }: BackupOrder,
  place: DataPlace,
  draft: string,
): Promise<{ log: LogState; copied: Copied }> {
  const { dataDir } = place;
  const server = place.isInUse ? null : await startForBackup(dataDir);
  try {
    const adminUrl = server?.adminUrl ?? (await readEmbeddedAdminUrl(dataDir));
    const database = await databaseUrlOf('payments', { databaseUrl: adminUrl, dataDir });
    const log = await readLogState(besidePayments(env, database));
    say(`Copying the databases of ${dataDir}${place.isInUse ? ' while they are in use' : ''}`);
    const { folders, files, serverVersion, startLsn, stopLsn } = await copyRunningCluster({
      adminUrl,
      from: resolve(dataDir, POSTGRES),
      to: join(draft, POSTGRES),
      onProgress: progress('copied', say),
    });
    const postgres = {
      kind: 'bundled',
      version: serverVersion,
      platform: `${process.platform}-${process.arch}`,
      startLsn,
      stopLsn,
    } as const;
    return { log, copied: { postgres, ...within(POSTGRES, { folders, files }) } };
  } finally {
    await server?.stop();
  }
}

async function startForBackup(dataDir: string): Promise<{ adminUrl: string; stop: () => Promise<void> }> {
  if (!existsSync(join(dataDir, POSTGRES))) throw new Error(`Nothing has run on the data folder ${dataDir} yet`);
  const folder = await claimDataFolder(dataDir);
  try {
    const logger = createLogger({ level: 'warn', service: 'backup' });
    const server = await startEmbeddedPostgres({ dataDir, logger });
    return { adminUrl: server.adminUrl, stop: () => server.stop().finally(() => folder.release()) };
  } catch (error) {
    await folder.release();
    throw error;
  }
}

/** From the operator's server, by `pg_basebackup`. */
async function copyOwn(
  { env, say, isCopied }: BackupOrder,
  { dataDir, databaseUrl }: DataPlace,
  draft: string,
): Promise<{ log: LogState; copied: Copied }> {
  const database = await databaseUrlOf('payments', { databaseUrl, dataDir });
  const log = await readLogState(besidePayments(env, database));
  if (!isCopied) await copyOwnServer(databaseUrl ?? '', join(draft, POSTGRES), say);
  const { version, ...content } = await listOwnCopy(join(draft, POSTGRES));
  const platform = `${process.platform}-${process.arch}`;
  const postgres = { kind: 'own', version, platform, startLsn: null, stopLsn: null } as const;
  return { log, copied: { postgres, ...within(POSTGRES, content) } };
}

function within(
  folder: string,
  { folders, files }: { folders: readonly string[]; files: readonly FileDigest[] },
): Pick<Copied, 'folders' | 'files'> {
  return {
    folders: [folder, ...folders.map((path) => `${folder}/${path}`)],
    files: files.map((file) => ({ ...file, path: `${folder}/${file.path}` })),
  };
}

async function copySecrets(dataDir: string, draft: string): Promise<FileDigest> {
  const path = join(draft, SECRETS);
  await writeFile(path, await readFile(join(dataDir, SECRETS)), { mode: 0o600 });
  return { path: SECRETS, ...(await computeDigest(path)) };
}
