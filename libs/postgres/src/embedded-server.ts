import { randomBytes } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PeriodicTask } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import { SUPERUSER, buildAdminUrl, changeOwner, runProgram, writeClusterFile, type Cluster } from './cluster.js';
import { locateBinaries, getServerOwner } from './postgres-binaries.js';
import { getOrCreateSecret } from './secrets.js';
import { serverConfiguration } from './server-configuration.js';
import { isRunning, stopOrphan, stopServer } from './stop-server.js';
import { withClient } from './with-client.js';

export interface EmbeddedPostgres {
  /** URL of the superuser and the database `postgres`. It holds a password: never log it. */
  readonly adminUrl: string;
  /** Closes all connections and stops the server. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The cluster is in its subfolder `postgres`. One process at a time may use it. */
  readonly dataDir: string;
  /** Largest number of connections; 100 by default. */
  readonly connections?: number;
  /** Longest start; `LIMITS.postgres.startTimeoutMs` by default. */
  readonly startTimeoutMs?: number;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** File in the folder of the cluster with the port of the last start. */
const PORT_FILE = 'settle.port';
const START_ATTEMPTS = 3;
/** Enough for one instance of each service. */
const DEFAULT_CONNECTIONS = 100;

/**
 * Starts PostgreSQL in a folder. Creates the cluster if there is none, stops a server that a killed process left running,
 * and restarts the server when it ends unexpectedly. The server survives this process, so the caller must stop it.
 * Errors have one-line messages.
 */
export async function startEmbeddedPostgres({
  dataDir,
  logger,
  connections = DEFAULT_CONNECTIONS,
  startTimeoutMs = LIMITS.postgres.startTimeoutMs,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await loadCluster(dataDir, connections);
  if (await isMissing(cluster.folder)) {
    logger.info('creating the embedded PostgreSQL cluster');
    await createCluster(cluster);
  } else if (await stopOrphan(cluster)) {
    logger.warn('stopped an orphaned embedded PostgreSQL of an earlier run; starting it again');
  }
  const port = await startServer(cluster, startTimeoutMs);
  const url = buildAdminUrl(cluster, port);
  await revokePublicAccess(url);
  const restartIfEnded = async () => {
    if (await isRunning(cluster)) return;
    await startServerOnPort(cluster, port);
    logger.warn('embedded PostgreSQL ended unexpectedly; restarted it');
  };
  const monitor = new PeriodicTask({
    run: restartIfEnded,
    everyMs: LIMITS.postgres.watchEveryMs,
    isDelayed: true,
    onError: (err) => logger.error({ err }, 'embedded PostgreSQL ended and could not be restarted; retrying'),
  });
  monitor.start();
  const stop = async () => {
    // A restart in progress would otherwise leave a server running.
    await monitor.stop();
    await stopServer(cluster);
  };
  return { adminUrl: url, stop };
}

/** Stops the server that a killed process left running in a data folder. Returns whether there was one. */
export async function stopOrphanedServer(dataDir: string): Promise<boolean> {
  return stopOrphan(await loadCluster(dataDir, DEFAULT_CONNECTIONS));
}

/** Returns the URL of the superuser. It holds a password: never log it. Error: no server has run on the data folder. */
export async function readEmbeddedAdminUrl(dataDir: string): Promise<string> {
  const notFound = new Error(`There is no database in the data folder ${dataDir}: start Settle on it first`);
  const port = await readPort(dataDir);
  if (port === null) throw notFound;
  const password = await getOrCreateSecret(dataDir, 'superuser', () => {
    throw notFound;
  });
  return buildAdminUrl({ password }, Number(port));
}

/** Returns the URL, without an account, of the current or last server of a data folder; null if there was none. */
export async function readEmbeddedServerUrl(dataDir: string): Promise<string | null> {
  const port = await readPort(dataDir);
  return port === null ? null : `postgresql://127.0.0.1:${port}/`;
}

async function readPort(dataDir: string): Promise<string | null> {
  const text = await readFile(join(dataDir, 'postgres', PORT_FILE), 'utf8').catch(() => null);
  return text?.trim() ?? null;
}

async function loadCluster(dataDir: string, connections: number): Promise<Cluster> {
  const owner = getServerOwner();
  return {
    folder: resolve(dataDir, 'postgres'),
    owner,
    binaries: await locateBinaries(owner),
    connections,
    password: await getOrCreateSecret(dataDir, 'superuser', () => randomBytes(24).toString('hex')),
  };
}

/** Starts the server on the port that its clients use. Error: another program has taken the port. */
async function startServerOnPort(cluster: Cluster, port: number): Promise<void> {
  if ((await startServer(cluster)) === port) return;
  await stopServer(cluster);
  throw new Error(`port ${port} of the embedded PostgreSQL is in use by another program`);
}

/** Creates the cluster in a temporary folder and renames it, so that a killed `initdb` leaves no partial cluster. */
async function createCluster(cluster: Cluster): Promise<void> {
  const unfinished: Cluster = { ...cluster, folder: `${cluster.folder}.new` };
  await rm(unfinished.folder, { recursive: true, force: true });
  await mkdir(unfinished.folder, { mode: 0o700 });
  await changeOwner(cluster, unfinished.folder);
  const temporary = await mkdtemp(join(tmpdir(), 'settle-'));
  try {
    const passwordFile = join(temporary, 'password');
    await writeFile(passwordFile, cluster.password, { mode: 0o600 });
    await changeOwner(cluster, passwordFile);
    await changeOwner(cluster, temporary);
    const account = [`--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    const content = ['--locale=C', '--encoding=UTF8'];
    await runProgram(unfinished, 'initdb', [...account, ...content], LIMITS.postgres.startTimeoutMs);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  await rename(unfinished.folder, cluster.folder);
}

async function startServer(cluster: Cluster, timeoutMs: number = LIMITS.postgres.startTimeoutMs): Promise<number> {
  const waitSeconds = timeoutMs / 1000;
  const args = ['start', '--wait', `--timeout=${waitSeconds}`, '--log=server.log', '--silent'];
  const logFile = join(cluster.folder, 'server.log');
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(cluster);
    await writeClusterFile(cluster, 'postgresql.conf', serverConfiguration(port, cluster.connections));
    await rm(logFile, { force: true });
    try {
      await runProgram(cluster, 'pgCtl', args, (waitSeconds + 1) * 1000);
      await writeClusterFile(cluster, PORT_FILE, `${port}\n`);
      return port;
    } catch {
      const reason = await readFailureReason(logFile);
      const isPortTaken = /address already in use/i.test(reason);
      if (!isPortTaken || attempt === START_ATTEMPTS)
        throw new Error(`The embedded PostgreSQL did not start: ${reason}`);
    }
  }
}

/** Returns the port of the last start if it is free, so that the URLs of other tools stay valid, or else any free port. */
async function choosePort(cluster: Cluster): Promise<number> {
  const last = Number(await readFile(join(cluster.folder, PORT_FILE), 'utf8').catch(() => '0'));
  const port = (await findFreePort(last)) ?? (await findFreePort(0));
  if (port === null) throw new Error('The embedded PostgreSQL found no free port: close other programs and try again');
  return port;
}

/** Returns the port if it is free, or else null; for 0, any free port. */
function findFreePort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(null));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? null) : null));
    });
  });
}

/** Lets only the superuser connect to the two databases that every cluster has. */
async function revokePublicAccess(url: string): Promise<void> {
  await withClient({ connectionString: url }, async (client) => {
    await client.query('revoke all on database postgres from public');
    await client.query('revoke all on database template1 from public');
  });
}

async function readFailureReason(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).split('\n');
  const reason = lines.find((line) => /FATAL|PANIC|in use/.test(line)) ?? lines.findLast((line) => line !== '');
  return reason ?? 'no reason reported';
}

function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}
