import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { locateBinaries, serverOwner, type PostgresBinaries, type ServerOwner } from './postgres-binaries.js';
import { keepSecret } from './secrets.js';
import { serverConfiguration } from './server-configuration.js';

export interface EmbeddedPostgres {
  /** Superuser, database `postgres`. Holds a password: never log it. */
  readonly adminUrl: string;
  /** Ends every connection, writes what is left and stops the server, within `STOP_TIMEOUT_S`. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The cluster lives in its subfolder `postgres`. */
  readonly dataDir: string;
  readonly logger: { info(message: string): void; warn(message: string): void };
}

const START_TIMEOUT_S = 60;
const STOP_TIMEOUT_S = 8;
const INITDB_TIMEOUT_MS = 120_000;
const ORPHAN_TIMEOUT_MS = 20_000;
const START_TRIES = 3;
const SUPERUSER = 'postgres';

/** One cluster on disk and the programs that tend it. */
interface Cluster {
  readonly folder: string;
  readonly owner: ServerOwner | null;
  readonly binaries: PostgresBinaries;
  readonly password: string;
}

/**
 * Starts PostgreSQL in a folder, making the cluster when the folder is empty, and stopping first what a killed
 * process left running there. The server does not die with this process: stop it. Errors: one clear line each.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const owner = serverOwner();
  const cluster: Cluster = {
    folder: join(options.dataDir, 'postgres'),
    owner,
    binaries: await locateBinaries(owner),
    password: await keepSecret(options.dataDir, 'superuser', () => randomBytes(24).toString('hex')),
  };
  if (await isMissing(join(cluster.folder, 'PG_VERSION'))) {
    options.logger.info('Preparing the embedded PostgreSQL');
    await createCluster(cluster);
  } else if (await stopOrphan(cluster)) {
    options.logger.warn('Stopped the PostgreSQL that an earlier run had left behind');
  }
  const port = await startServer(cluster);
  return { adminUrl: adminUrl(cluster, port), stop: () => stopServer(cluster) };
}

/** A cluster appears whole or not at all: what a killed initdb left is thrown away. */
async function createCluster(cluster: Cluster): Promise<void> {
  await rm(cluster.folder, { recursive: true, force: true });
  await mkdir(cluster.folder, { recursive: true, mode: 0o700 });
  await give(cluster, cluster.folder);
  const temporary = await mkdtemp(join(tmpdir(), 'settle-'));
  try {
    const passwordFile = join(temporary, 'password');
    await writeFile(passwordFile, cluster.password, { mode: 0o600 });
    await give(cluster, passwordFile);
    await give(cluster, temporary);
    const access = [`--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    await run(cluster, cluster.binaries.initdb, ['--locale=C', '--encoding=UTF8', ...access], INITDB_TIMEOUT_MS);
  } catch (error) {
    await rm(cluster.folder, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function give(cluster: Cluster, path: string): Promise<void> {
  if (cluster.owner !== null) await chown(path, cluster.owner.uid, cluster.owner.gid);
}

async function startServer(cluster: Cluster): Promise<number> {
  const logFile = join(cluster.folder, 'server.log');
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(cluster, attempt);
    await writeOwned(cluster, 'settle.port', `${port}\n`);
    await writeOwned(cluster, 'postgresql.conf', serverConfiguration(port));
    await rm(logFile, { force: true });
    const start = ['start', '--wait', `--timeout=${START_TIMEOUT_S}`, '--log=server.log', '--silent'];
    try {
      await run(cluster, cluster.binaries.pgCtl, start, (START_TIMEOUT_S + 5) * 1000);
      return port;
    } catch {
      const reason = await lastFatalLine(logFile);
      const portWasTaken = /address already in use/i.test(reason);
      if (!portWasTaken || attempt === START_TRIES) throw new Error(`The embedded PostgreSQL did not start: ${reason}`);
    }
  }
}

async function stopServer(cluster: Cluster): Promise<void> {
  const stop = ['stop', '--mode=fast', '--wait', `--timeout=${STOP_TIMEOUT_S}`, '--silent'];
  await run(cluster, cluster.binaries.pgCtl, stop, (STOP_TIMEOUT_S + 2) * 1000);
}

/** The port of the last start when it is free, so that a tool pointed at the server keeps working. */
async function choosePort(cluster: Cluster, attempt: number): Promise<number> {
  const last = Number(await readFile(join(cluster.folder, 'settle.port'), 'utf8').catch(() => '0'));
  return (attempt === 1 && last > 0 && (await freePort(last))) || (await freePort(0)) || 0;
}

/** The port itself when it is free, a free one for 0, else null. */
function freePort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(null));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(address !== null && typeof address === 'object' ? address.port : null));
    });
  });
}

/** Stops the server that a killed process left on this cluster. Whoever knows our password is ours. */
async function stopOrphan(cluster: Cluster): Promise<boolean> {
  const deadline = Date.now() + ORPHAN_TIMEOUT_MS;
  for (;;) {
    const found = await readPidFile(cluster);
    if (found === null || !(await isServerProcess(found.pid))) {
      await rm(join(cluster.folder, 'postmaster.pid'), { force: true });
      return false;
    }
    if (await answersToUs(cluster, found.port)) {
      await stopServer(cluster);
      return true;
    }
    if (Date.now() > deadline) throw new Error(`Process ${found.pid} uses ${cluster.folder} and does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function readPidFile(cluster: Cluster): Promise<{ pid: number; port: number } | null> {
  const text = await readFile(join(cluster.folder, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port] = text.split('\n').map(Number);
  return pid !== undefined && pid > 0 ? { pid, port: port ?? 0 } : null;
}

/** After a restart of the machine the number may belong to another program: on Linux its name tells. */
async function isServerProcess(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  if (process.platform !== 'linux') return true;
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  return name.trim() === 'postgres';
}

async function answersToUs(cluster: Cluster, port: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: adminUrl(cluster, port), connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function adminUrl(cluster: Cluster, port: number): string {
  return `postgresql://${SUPERUSER}:${cluster.password}@127.0.0.1:${port}/postgres`;
}

/**
 * Runs a program of the server as its owner. It works in the cluster's folder, and as another user on Linux it names
 * that folder by where it works: the folders above may be closed to it, as root's home is.
 */
function run(cluster: Cluster, program: string, args: string[], timeoutMs: number): Promise<void> {
  const folder = cluster.owner !== null && process.platform === 'linux' ? '/proc/self/cwd' : cluster.folder;
  const options = { cwd: cluster.folder, timeout: timeoutMs, windowsHide: true, ...(cluster.owner ?? {}) };
  return new Promise((resolve, reject) => {
    const errors = cluster.binaries.initdb === program ? 'pipe' : 'ignore';
    const child = spawn(program, [...args, `--pgdata=${folder}`], { ...options, stdio: ['ignore', 'ignore', errors] });
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`PostgreSQL could not be prepared or stopped (${signal ?? code}): ${firstLine(output)}`));
    });
  });
}

function firstLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1) ?? 'it said nothing';
}

async function lastFatalLine(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).split('\n');
  return (
    lines.find((line) => /FATAL|PANIC|in use/.test(line)) ?? lines.findLast((line) => line !== '') ?? 'no reason given'
  );
}

async function writeOwned(cluster: Cluster, name: string, text: string): Promise<void> {
  const path = join(cluster.folder, name);
  await writeFile(path, text, { mode: 0o600 });
  await give(cluster, path);
}

function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}
