import { createHash } from 'node:crypto';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachConcurrent } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { LogState } from '@settle/contracts';
import { computeDigest, type FileDigest } from '@settle/postgres';
import { progress } from './progress.js';

/** The description of a backup, in `manifest.json` of its folder. */
export interface BackupManifest {
  readonly format: typeof FORMAT;
  /** ISO 8601. */
  readonly takenAt: string;
  /** The version of Settle that took it. */
  readonly settleVersion: string;
  readonly shape: 'embedded' | 'distributed';
  readonly postgres: {
    /** `bundled`: the server that Settle starts itself; `own`: the operator's. */
    readonly kind: 'bundled' | 'own';
    /** Such as `18.4`; of the operator's server the major version alone. */
    readonly version: string;
    /** The copy can only be read by a server of the same platform, such as `linux-x64`. */
    readonly platform: string;
    /** Places in the write-ahead log: replaying from the first, the copy is consistent at the second. Null: not known. */
    readonly startLsn: string | null;
    readonly stopLsn: string | null;
  };
  /** Where the log and the read models stood when the copy began: the copy holds at least this. */
  readonly log: LogState;
  /** Relative to the backup's folder, parents first. */
  readonly folders: readonly string[];
  /** All files but the manifest. */
  readonly files: readonly FileDigest[];
}

export const FORMAT = 1;
const MANIFEST = 'manifest.json';

/** Writes the manifest, which makes the folder a backup. */
export async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  const text = JSON.stringify({ ...manifest, sha256: checksumOf(manifest) }, null, 2);
  const path = join(folder, MANIFEST);
  await writeFile(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
  await syncToDisk(path);
}

/** Returns the manifest of a backup. Errors: one line each, when there is none, or it is damaged or of a later format. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${folder} is not a complete backup: ${MANIFEST} cannot be read (${error.code ?? error.message})`);
  });
  const { sha256, ...manifest } = parse(text, path);
  if (manifest.format !== FORMAT) {
    throw new Error(`${path} has the format ${String(manifest.format)}; this version of Settle reads ${FORMAT}`);
  }
  if (sha256 !== checksumOf(manifest)) throw new Error(`${path} is damaged: its own checksum does not fit`);
  return manifest;
}

/**
 * Compares every file of a backup with its manifest. Errors: one line that names the first file that is missing or
 * differs.
 * @param say receives lines about the progress
 */
export async function checkFiles(
  folder: string,
  { files }: Pick<BackupManifest, 'files'>,
  say: (line: string) => void,
): Promise<void> {
  await compareFiles(files, progress('checked', say), ({ path }) =>
    computeDigest(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`The backup is damaged: ${path} cannot be read (${error.code ?? error.message})`);
    }),
  );
}

/** Compares every file with the digest that `read` returns for it. Errors: one line that names one that differs. */
export async function compareFiles(
  files: readonly FileDigest[],
  onProgress: ReturnType<typeof progress>,
  read: (file: FileDigest) => Promise<Omit<FileDigest, 'path'>>,
): Promise<void> {
  const totalBytes = sumBytes(files);
  let doneBytes = 0;
  await forEachConcurrent(files, LIMITS.backup.filesAtOnce, async (file) => {
    const { bytes, sha256 } = await read(file);
    if (sha256 !== file.sha256 || bytes !== file.bytes) {
      throw new Error(`The backup is damaged: ${file.path} is not what its manifest says`);
    }
    doneBytes += bytes;
    onProgress(doneBytes, totalBytes);
  });
}

export function sumBytes(files: readonly FileDigest[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Flushes a file, or the entries of a folder. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

function parse(text: string, path: string): BackupManifest & { readonly sha256: string } {
  try {
    return JSON.parse(text) as BackupManifest & { readonly sha256: string };
  } catch {
    throw new Error(`${path} is damaged: it is not JSON`);
  }
}

function checksumOf(manifest: BackupManifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
