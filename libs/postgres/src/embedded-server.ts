import { randomBytes } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import pg from 'pg';
import { SUPERUSER, adminUrl, giveToOwner, runProgram, writeClusterFile, type Cluster } from './cluster.js';
import { locateBinaries, serverOwner } from './postgres-binaries.js';
import { keepSecret } from './secrets.js';
import { serverConfiguration } from './server-configuration.js';
import { ServerWatch } from './server-watch.js';
import { isRunning, stopOrphan, stopServer } from './stop-server.js';

export interface EmbeddedPostgres {
  /** Superuser, database `postgres`. Holds a password: never log it. */
  readonly adminUrl: string;
  /** Ends every connection and stops the server. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The cluster lives in its subfolder `postgres`. One process at a time may use it. */
  readonly dataDir: string;
  /** Connections that it takes; 100 unless given. */
  readonly connections?: number;
  /** Longest start; `LIMITS.postgres.startTimeoutMs` unless given. */
  readonly startTimeoutMs?: number;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Where in the cluster's folder the port of the last start stands. */
const PORT_FILE = 'settle.port';
const START_TRIES = 3;
/** Enough for one instance of each service. */
const CONNECTIONS = 100;

/**
 * Starts PostgreSQL in a folder: makes the cluster when there is none, and stops first what a killed process left
 * running there. A server that ends unasked is started again. It does not die with this process: stop it. Errors: one clear line each.
 */
export async function startEmbeddedPostgres({
  dataDir,
  logger,
  connections = CONNECTIONS,
  startTimeoutMs = LIMITS.postgres.startTimeoutMs,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await clusterIn(dataDir, connections);
  if (await isMissing(cluster.folder)) {
    logger.info('Preparing the embedded PostgreSQL');
    await createCluster(cluster);
  } else if (await stopOrphan(cluster)) {
    logger.warn('Stopped the PostgreSQL that an earlier run had left behind');
  }
  const port = await startServer(cluster, startTimeoutMs);
  const url = adminUrl(cluster, port);
  await closeToServices(url);
  const watch = new ServerWatch(
    () => isRunning(cluster),
    () => startOn(cluster, port),
    logger,
  );
  watch.start();
  const stop = async () => {
    await watch.stop();
    await stopServer(cluster);
  };
  return { adminUrl: url, stop };
}

/** Stops the server that a killed process left in a data folder. Returns whether there was one. */
export async function stopLeftServer(dataDir: string): Promise<boolean> {
  return stopOrphan(await clusterIn(dataDir, CONNECTIONS));
}

/** The superuser's URL of the server in a data folder. It holds a password: never log it. Errors: none has ever run there. */
export async function embeddedAdminUrl(dataDir: string): Promise<string> {
  const nothing = new Error(`Nothing has run on the data folder ${dataDir} yet`);
  const port = await readPort(dataDir);
  if (port === null) throw nothing;
  const password = await keepSecret(dataDir, 'superuser', () => {
    throw nothing;
  });
  return adminUrl({ password }, Number(port));
}

/** Where the server of a data folder listens, or has listened last, without an account. Null: none ever has. */
export async function embeddedServerUrl(dataDir: string): Promise<string | null> {
  const port = await readPort(dataDir);
  return port === null ? null : `postgresql://127.0.0.1:${port}/`;
}

async function readPort(dataDir: string): Promise<string | null> {
  const text = await readFile(join(dataDir, 'postgres', PORT_FILE), 'utf8').catch(() => null);
  return text?.trim() ?? null;
}

async function clusterIn(dataDir: string, connections: number): Promise<Cluster> {
  const owner = serverOwner();
  return {
    folder: resolve(dataDir, 'postgres'),
    owner,
    binaries: await locateBinaries(owner),
    connections,
    password: await keepSecret(dataDir, 'superuser', () => randomBytes(24).toString('hex')),
  };
}

/** Starts the server where its clients look for it. */
async function startOn(cluster: Cluster, port: number): Promise<void> {
  if ((await startServer(cluster)) === port) return;
  await stopServer(cluster);
  throw new Error(`port ${port} of the embedded PostgreSQL was taken meanwhile`);
}

/** Made beside its place and then moved there: a cluster is whole or not there, whatever kills `initdb`. */
async function createCluster(cluster: Cluster): Promise<void> {
  const unfinished: Cluster = { ...cluster, folder: `${cluster.folder}.new` };
  await rm(unfinished.folder, { recursive: true, force: true });
  await mkdir(unfinished.folder, { mode: 0o700 });
  await giveToOwner(cluster, unfinished.folder);
  const temporary = await mkdtemp(join(tmpdir(), 'settle-'));
  try {
    const passwordFile = join(temporary, 'password');
    await writeFile(passwordFile, cluster.password, { mode: 0o600 });
    await giveToOwner(cluster, passwordFile);
    await giveToOwner(cluster, temporary);
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
      const reason = await complaintIn(logFile);
      const wasTaken = /address already in use/i.test(reason);
      if (!wasTaken || attempt === START_TRIES) throw new Error(`The embedded PostgreSQL did not start: ${reason}`);
    }
  }
}

/** The port of the last start while it is free, so that a tool pointed at the server keeps working. */
async function choosePort(cluster: Cluster): Promise<number> {
  const last = Number(await readFile(join(cluster.folder, PORT_FILE), 'utf8').catch(() => '0'));
  const port = (await freePort(last)) ?? (await freePort(0));
  if (port === null) throw new Error('There is no free port for the embedded PostgreSQL');
  return port;
}

/** The port itself when it is free, any free one for 0, else null. */
function freePort(port: number): Promise<number | null> {
  return new Promise((found) => {
    const probe = createServer();
    probe.once('error', () => found(null));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => found(typeof address === 'object' ? (address?.port ?? null) : null));
    });
  });
}

/** The two databases that every cluster has are nobody's but the superuser's. */
async function closeToServices(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: LIMITS.postgres.connectTimeoutMs });
  await client.connect();
  try {
    await client.query('revoke all on database postgres from public');
    await client.query('revoke all on database template1 from public');
  } finally {
    await client.end();
  }
}

async function complaintIn(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).split('\n');
  const complaint = lines.find((line) => /FATAL|PANIC|in use/.test(line)) ?? lines.findLast((line) => line !== '');
  return complaint ?? 'no reason given';
}

function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}
