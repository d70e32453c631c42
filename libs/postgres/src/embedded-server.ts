import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PeriodicTask } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import { SUPERUSER, buildAdminUrl, changeOwner, runProgram, writeClusterFile, type Cluster } from './cluster.js';
import { nullIfMissing } from './cluster-files.js';
import { buildServerUrl, prepareSocket } from './cluster-socket.js';
import { locateBinaries, getServerOwner } from './postgres-binaries.js';
import { getOrCreateSecret } from './secrets.js';
import { findServer, stopOrphan, stopServer } from './stop-server.js';
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
  /** Folder of the package with the programs of the server; by default that of the bundled one. */
  readonly packageFolder?: string;
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
  packageFolder,
  startTimeoutMs = LIMITS.postgres.startTimeoutMs,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await loadCluster(dataDir, connections, packageFolder);
  if ((await stat(cluster.folder).catch(nullIfMissing)) === null) {
    logger.info('creating the embedded PostgreSQL cluster');
    await createCluster(cluster);
  } else if (await stopOrphan(cluster)) {
    logger.warn('stopped an orphaned embedded PostgreSQL of an earlier run; starting it again');
  }
  const port = await startServer(cluster, startTimeoutMs);
  const url = await buildAdminUrl(cluster, port);
  // Only the superuser can connect to the two databases that every cluster has.
  await withClient({ connectionString: url }, (client) =>
    client.query('revoke all on database postgres, template1 from public'),
  );
  const restartIfEnded = async () => {
    if ((await findServer(cluster)) !== null) return;
    if ((await startServer(cluster)) !== port) {
      // The clients know the old port only.
      await stopServer(cluster);
      throw new Error(`port ${port} of the embedded PostgreSQL is in use by another program`);
    }
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
  const folder = resolve(dataDir, 'postgres');
  const port = await readPort(folder);
  if (port === 0) throw notFound;
  const password = await getOrCreateSecret(dataDir, 'superuser', () => {
    throw notFound;
  });
  return buildAdminUrl({ folder, password }, port);
}

/** Returns the URL, without an account, of the current or last server of a data folder; null if there was none. */
export async function readEmbeddedServerUrl(dataDir: string): Promise<string | null> {
  const folder = resolve(dataDir, 'postgres');
  const port = await readPort(folder);
  return port === 0 ? null : buildServerUrl(folder, port);
}

/** Returns the port of the last start of a cluster; 0 if there was none. */
async function readPort(folder: string): Promise<number> {
  return Number(await readFile(join(folder, PORT_FILE), 'utf8').catch(() => '0'));
}

async function loadCluster(dataDir: string, connections: number, packageFolder?: string): Promise<Cluster> {
  const owner = getServerOwner();
  return {
    folder: resolve(dataDir, 'postgres'),
    owner,
    binaries: await locateBinaries(owner, packageFolder),
    connections,
    password: await getOrCreateSecret(dataDir, 'superuser', () => randomBytes(24).toString('hex')),
  };
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
    const hasSocket = await prepareSocket(cluster.folder);
    await writeClusterFile(cluster, 'postgresql.conf', buildServerConfiguration(port, cluster.connections, hasSocket));
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

/**
 * Returns the complete `postgresql.conf` of the embedded server, which is written at every start. Acknowledged commits
 * must be on disk, so `fsync` and `full_page_writes` are on. The server log contains no rows: they hold personal data.
 */
function buildServerConfiguration(port: number, connections: number, hasSocket: boolean): string {
  const settings: Record<string, string | number> = {
    listen_addresses: "'127.0.0.1'",
    port,
    // Relative to the folder of the cluster, to which only its account has access.
    unix_socket_directories: hasSocket ? "'.'" : "''",
    max_connections: connections,
    password_encryption: "'scram-sha-256'",
    shared_buffers: "'256MB'",
    work_mem: "'16MB'",
    maintenance_work_mem: "'128MB'",
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    // Physical backups of the running cluster need this level.
    wal_level: "'replica'",
    max_wal_senders: 0,
    wal_buffers: "'16MB'",
    min_wal_size: "'256MB'",
    max_wal_size: "'4GB'",
    checkpoint_timeout: "'15min'",
    random_page_cost: 1.1,
    jit: 'off',
    autovacuum_naptime: "'15s'",
    timezone: "'UTC'",
    log_timezone: "'UTC'",
    log_min_messages: "'fatal'",
    log_min_error_statement: "'panic'",
    log_error_verbosity: "'terse'",
    log_checkpoints: 'off',
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}

/** Returns the port of the last start if it is free, so that the URLs of other tools stay valid, or else any free port. */
async function choosePort(cluster: Cluster): Promise<number> {
  const port = (await findFreePort(await readPort(cluster.folder))) ?? (await findFreePort(0));
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

async function readFailureReason(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).split('\n');
  const reason = lines.find((line) => /FATAL|PANIC|in use/.test(line)) ?? lines.findLast((line) => line !== '');
  return reason ?? 'no reason reported';
}
