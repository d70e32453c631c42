import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import pg from 'pg';
import { adminUrl, runProgram, type Cluster } from './cluster.js';

const POLL_MS = 100;
const QUICK_STOP_S = 4;

/** Ends every connection and stops the server; one that can't stop in time is stopped as a crash would, losing nothing. */
export async function stopServer(cluster: Cluster): Promise<void> {
  const stopSeconds = LIMITS.postgres.stopTimeoutMs / 1000;
  try {
    await pgCtlStop(cluster, 'fast', stopSeconds);
  } catch {
    await pgCtlStop(cluster, 'immediate', QUICK_STOP_S);
  }
}

function pgCtlStop(cluster: Cluster, mode: 'fast' | 'immediate', seconds: number): Promise<void> {
  const args = ['stop', `--mode=${mode}`, '--wait', `--timeout=${seconds}`, '--silent'];
  return runProgram(cluster, 'pgCtl', args, (seconds + 1) * 1000);
}

/**
 * Stops the server that a killed process left on this cluster, and says whether there was one. It is ours when it
 * takes our password. Errors: a server that does not answer in time.
 */
export async function stopOrphan(cluster: Cluster): Promise<boolean> {
  const deadline = performance.now() + LIMITS.postgres.startTimeoutMs;
  for (;;) {
    const found = await readPidFile(cluster);
    if (found === null || !(await isServer(found.pid))) {
      await rm(join(cluster.folder, 'postmaster.pid'), { force: true });
      return false;
    }
    if (await takesOurPassword(cluster, found.port)) {
      await stopServer(cluster);
      return true;
    }
    if (performance.now() > deadline) {
      throw new Error(`PostgreSQL process ${found.pid} uses ${cluster.folder} and does not answer: stop it first`);
    }
    await pause(POLL_MS);
  }
}

/** Whether a server runs on the cluster. */
export async function isRunning(cluster: Cluster): Promise<boolean> {
  const found = await readPidFile(cluster);
  return found !== null && isServer(found.pid);
}

/** Line 1 is the process, line 4 the port. */
async function readPidFile(cluster: Cluster): Promise<{ pid: number; port: number } | null> {
  const text = await readFile(join(cluster.folder, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port] = text.split('\n').map(Number);
  return pid !== undefined && pid > 0 ? { pid, port: port ?? 0 } : null;
}

/** After a restart of the machine the number may be another program's: on Linux its name tells. A zombie is dead. */
async function isServer(pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    return /^\d+ \(postgres\) [^ZX]/.test(stat);
  }
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** False also while the server starts, recovers or is stopping. */
async function takesOurPassword(cluster: Cluster, port: number): Promise<boolean> {
  const client = new pg.Client({
    connectionString: adminUrl(cluster, port),
    connectionTimeoutMillis: LIMITS.postgres.connectTimeoutMs,
  });
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
