import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { buildAdminUrl, runProgram, type Cluster } from './cluster.js';
import { nullIfMissing } from './cluster-files.js';
import { withClient } from './with-client.js';

const POLL_MS = 100;
const IMMEDIATE_STOP_SECONDS = 4;

/** Closes all connections and stops the server. If that takes too long, it stops immediately, without losing commits. */
export async function stopServer(cluster: Cluster): Promise<void> {
  const stopSeconds = LIMITS.postgres.stopTimeoutMs / 1000;
  try {
    await stopWithPgCtl(cluster, 'fast', stopSeconds);
  } catch {
    await stopWithPgCtl(cluster, 'immediate', IMMEDIATE_STOP_SECONDS);
  }
}

function stopWithPgCtl(cluster: Cluster, mode: 'fast' | 'immediate', seconds: number): Promise<void> {
  const args = ['stop', `--mode=${mode}`, '--wait', `--timeout=${seconds}`, '--silent'];
  return runProgram(cluster, 'pgCtl', args, (seconds + 1) * 1000);
}

/**
 * Stops the server that a killed process left running on this cluster, and returns whether there was one. A server that
 * accepts the password of the cluster belongs to it. Error: a server does not respond in time.
 */
export async function stopOrphan(cluster: Cluster): Promise<boolean> {
  const deadline = performance.now() + LIMITS.postgres.startTimeoutMs;
  for (;;) {
    const server = await findServer(cluster);
    if (server === null) {
      await rm(join(cluster.folder, 'postmaster.pid'), { force: true });
      return false;
    }
    if (await acceptsPassword(cluster, server.port)) {
      await stopServer(cluster);
      return true;
    }
    if (performance.now() > deadline) {
      throw new Error(`PostgreSQL process ${server.pid} uses ${cluster.folder} and does not respond: stop it first`);
    }
    await pause(POLL_MS);
  }
}

/**
 * Returns the process id and the port of the server that runs on the cluster; null if there is none. Error: it cannot be known,
 * such as without a free descriptor.
 */
export async function findServer(cluster: Cluster): Promise<{ readonly pid: number; readonly port: number } | null> {
  const text = await readFile(join(cluster.folder, 'postmaster.pid'), 'utf8').catch(nullIfMissing);
  const [pid = 0, , , port = 0] = (text ?? '').split('\n').map(Number);
  return pid > 0 && (await isPostgresProcess(pid)) ? { pid, port } : null;
}

/**
 * Returns whether the process is a running PostgreSQL server. After a reboot the id may belong to another program, which
 * Linux shows by its name; a zombie does not count.
 */
async function isPostgresProcess(pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(nullIfEnded);
    return /^\d+ \(postgres\) [^ZX]/.test(stat ?? '');
  }
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** The process can end between opening and reading its file. */
function nullIfEnded(error: NodeJS.ErrnoException): null {
  return error.code === 'ESRCH' ? null : nullIfMissing(error);
}

/** Returns whether the server accepts the password; false, too, while it starts, recovers or stops. */
async function acceptsPassword(cluster: Cluster, port: number): Promise<boolean> {
  const connectionString = await buildAdminUrl(cluster, port);
  return withClient({ connectionString }, () => Promise.resolve(true)).catch(() => false);
}
