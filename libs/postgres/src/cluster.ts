import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildServerUrl } from './cluster-socket.js';
import { getServerOwner, type PostgresBinaries, type ServerOwner } from './postgres-binaries.js';

export const SUPERUSER = 'postgres';

/** One PostgreSQL cluster on disk, and the programs that manage it. */
export interface Cluster {
  readonly folder: string;
  /** Account that runs the server; null for the account of this process. */
  readonly owner: ServerOwner | null;
  readonly binaries: PostgresBinaries;
  /** Largest number of connections. */
  readonly connections: number;
  /** Password of the superuser. */
  readonly password: string;
}

/** Returns the URL of the superuser. It holds the password: never log it. */
export async function buildAdminUrl(
  { folder, password }: Pick<Cluster, 'folder' | 'password'>,
  port: number,
): Promise<string> {
  const url = new URL(await buildServerUrl(folder, port));
  url.username = SUPERUSER;
  url.password = password;
  url.pathname = '/postgres';
  return url.toString();
}

/** Makes the account that runs the server the owner of a file or folder. */
export async function changeOwner(cluster: Cluster, path: string): Promise<void> {
  if (cluster.owner !== null) await chown(path, cluster.owner.uid, cluster.owner.gid);
}

/** Makes the account that runs the embedded server the owner of a folder and of everything in it. */
export async function changeFolderOwnerToServer(folder: string): Promise<void> {
  const owner = getServerOwner();
  if (owner === null) return;
  for (const path of ['', ...(await readdir(folder, { recursive: true }))]) {
    await chown(join(folder, path), owner.uid, owner.gid);
  }
}

/**
 * Writes a file into the folder of the cluster; only its owner can read it. On a full disk the earlier file stays as it is:
 * it has the port that this process and other tools use.
 */
export async function writeClusterFile(cluster: Cluster, name: string, text: string): Promise<void> {
  const path = join(cluster.folder, name);
  const unfinished = `${path}.new`;
  await writeFile(unfinished, text, { mode: 0o600 });
  await changeOwner(cluster, unfinished);
  await rename(unfinished, path);
}

/**
 * Runs one of the server's programs on the cluster, as its owner. The working directory is the folder of the cluster. On
 * Linux, another account gets that folder as `/proc/self/cwd`, because the parent folders may be closed to it, as the
 * home of root is. Rejects with the first error line of the program.
 */
export async function runProgram(
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
    // The server inherits the open files of `pg_ctl`: with a pipe, this process would wait until the server ends.
    stdio: ['ignore', 'ignore', program === 'initdb' ? 'pipe' : 'ignore'],
  });
  let errorOutput = '';
  child.stderr?.on('data', (chunk: Buffer) => (errorOutput += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new Error(`${program} failed (${signal ?? code}): ${findErrorLine(errorOutput)}`);
}

function findErrorLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1) ?? 'no reason reported';
}
