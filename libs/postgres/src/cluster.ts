import { spawn } from 'node:child_process';
import { chown, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverOwner, type PostgresBinaries, type ServerOwner } from './postgres-binaries.js';

export const SUPERUSER = 'postgres';

/** One PostgreSQL cluster on disk, and the programs that tend it. */
export interface Cluster {
  readonly folder: string;
  /** Null: the user of this process. */
  readonly owner: ServerOwner | null;
  readonly binaries: PostgresBinaries;
  /** Connections that the server takes. */
  readonly connections: number;
  /** Of the superuser. */
  readonly password: string;
}

/** The superuser's URL. It holds the password: never log it. */
export function adminUrl(cluster: Pick<Cluster, 'password'>, port: number): string {
  return `postgresql://${SUPERUSER}:${cluster.password}@127.0.0.1:${port}/postgres`;
}

/** Hands a file or folder over to the account that runs the server. */
export async function giveToOwner(cluster: Cluster, path: string): Promise<void> {
  if (cluster.owner !== null) await chown(path, cluster.owner.uid, cluster.owner.gid);
}

/** Hands a whole folder over to the account that runs the embedded server. */
export async function giveFolderToServer(folder: string): Promise<void> {
  const owner = serverOwner();
  if (owner === null) return;
  for (const path of ['', ...(await readdir(folder, { recursive: true }))]) {
    await chown(join(folder, path), owner.uid, owner.gid);
  }
}

/** Writes a file into the cluster's folder that nobody but its owner can read. */
export async function writeClusterFile(cluster: Cluster, name: string, text: string): Promise<void> {
  const path = join(cluster.folder, name);
  await writeFile(path, text, { mode: 0o600 });
  await giveToOwner(cluster, path);
}

/**
 * Runs one of the server's programs on the cluster, as its owner. It works in the cluster's folder and, as another
 * user on Linux, names that folder by where it works: the folders above may be closed to it, as root's home is.
 * Rejects with the program's own first line of complaint.
 */
export function runProgram(
  cluster: Cluster,
  program: keyof PostgresBinaries,
  args: readonly string[],
  timeoutMs: number,
): Promise<void> {
  const folder = cluster.owner !== null && process.platform === 'linux' ? '/proc/self/cwd' : cluster.folder;
  const child = spawn(cluster.binaries[program], [...args, `--pgdata=${folder}`], {
    ...(cluster.owner ?? {}),
    cwd: cluster.folder,
    timeout: timeoutMs,
    windowsHide: true,
    // The server inherits what `pg_ctl` has open: a pipe would keep this process waiting for the server's end.
    stdio: ['ignore', 'ignore', program === 'initdb' ? 'pipe' : 'ignore'],
  });
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} failed (${signal ?? code}): ${firstComplaint(complaint)}`));
    });
  });
}

function firstComplaint(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1) ?? 'no reason given';
}
