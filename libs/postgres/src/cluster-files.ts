import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SOCKET_FILE } from './cluster-socket.js';

/** The files and folders in a folder; paths are relative to it and use `/`. */
export interface FolderContent {
  readonly folders: readonly string[];
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/** Folders that a copy leaves empty: PostgreSQL refills them at its start. The segments of `pg_wal` are copied later. */
const EMPTIED_FOLDERS = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]);

/** Names, in any folder, that a copy omits: files of the running server or of an earlier copy, and derived files. */
const EXCLUDED_NAMES =
  /^(postmaster\.(pid|opts)|server\.log|settle\.port|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest|pg_internal\.init.*|pgsql_tmp.*)$/;

/** Returns the files and folders that a copy of the cluster needs, except the log segments. The server may be running. */
export async function listClusterFiles(folder: string): Promise<FolderContent> {
  const folders: string[] = [];
  const files: { path: string; bytes: number }[] = [];
  const walk = async (subfolder: string): Promise<void> => {
    for (const name of (await readdir(join(folder, subfolder)).catch(nullIfMissing)) ?? []) {
      if (EXCLUDED_NAMES.test(name) || SOCKET_FILE.test(name)) continue;
      const path = subfolder === '' ? name : `${subfolder}/${name}`;
      const stats = await lstat(join(folder, path)).catch(nullIfMissing);
      if (stats?.isSymbolicLink())
        throw new Error(`${path} of the cluster is a symbolic link: backups do not support tablespaces`);
      if (stats?.isFile()) files.push({ path, bytes: stats.size });
      if (!stats?.isDirectory()) continue;
      folders.push(path);
      if (!EMPTIED_FOLDERS.has(path)) await walk(path);
    }
  };
  await walk('');
  return { folders, files };
}

/** Returns the names of the write-ahead log segments from `first` to `last`, both included. Both have one timeline. */
export function listSegmentNames(first: string, last: string, segmentBytes: number): string[] {
  const timeline = first.slice(0, 8);
  if (!last.startsWith(timeline))
    throw new Error('The timeline of the server changed during the backup: take the backup again');
  const perLog = BigInt(2 ** 32 / segmentBytes);
  const numberOf = (name: string) => BigInt(`0x${name.slice(8, 16)}`) * perLog + BigInt(`0x${name.slice(16, 24)}`);
  const names: string[] = [];
  for (let number = numberOf(first); number <= numberOf(last); number += 1n) {
    const parts = [number / perLog, number % perLog].map((part) => part.toString(16).toUpperCase().padStart(8, '0'));
    names.push(timeline + parts.join(''));
  }
  return names;
}

export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
