import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What a folder holds, as paths with `/` relative to it. */
export interface FolderContent {
  readonly folders: readonly string[];
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/** PostgreSQL fills these folders anew at its start; `pg_wal` is copied apart, once it is known which segments belong. */
const COPIED_EMPTY = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]);

/** Of the running server, of an earlier copy, or derived: names of files and folders, wherever they are. */
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|server\.log|settle\.port|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest|pg_internal\.init.*|pgsql_tmp.*)$/;

/** Returns what of a cluster's folder belongs in a copy of it, the write-ahead log aside, while its server changes it. */
export async function listClusterFiles(folder: string): Promise<FolderContent> {
  const folders: string[] = [];
  const files: { path: string; bytes: number }[] = [];
  const walk = async (place: string): Promise<void> => {
    for (const name of await readdir(join(folder, place)).catch(emptyIfGone)) {
      if (LEFT_OUT.test(name)) continue;
      const path = place === '' ? name : `${place}/${name}`;
      const found = await lstat(join(folder, path)).catch(nullIfGone);
      if (found?.isSymbolicLink())
        throw new Error(`${path} of the cluster is a link: tablespaces are not backed up here`);
      if (found?.isFile()) files.push({ path, bytes: found.size });
      if (!found?.isDirectory()) continue;
      folders.push(path);
      if (!COPIED_EMPTY.has(path)) await walk(path);
    }
  };
  await walk('');
  return { folders, files };
}

/** The names of the segments of the write-ahead log from one to another of the same timeline, both included. */
export function segmentNames(first: string, last: string, segmentBytes: number): string[] {
  const timeline = first.slice(0, 8);
  if (!last.startsWith(timeline))
    throw new Error('The timeline of the server changed during the backup: take it again');
  const perLog = BigInt(2 ** 32 / segmentBytes);
  const numberOf = (name: string) => BigInt(`0x${name.slice(8, 16)}`) * perLog + BigInt(`0x${name.slice(16, 24)}`);
  const names: string[] = [];
  for (let number = numberOf(first); number <= numberOf(last); number += 1n) {
    const parts = [number / perLog, number % perLog].map((part) => part.toString(16).toUpperCase().padStart(8, '0'));
    names.push(timeline + parts.join(''));
  }
  return names;
}

export function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

function emptyIfGone(error: NodeJS.ErrnoException): string[] {
  return nullIfGone(error) ?? [];
}
