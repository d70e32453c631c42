import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { pollUntil } from '@settle/concurrency';

const STOP_TIMEOUT_MS = 5_000;
const KILL_TIMEOUT_MS = 2_000;
const POLL_MS = 25;
const NOTE = 'broker.pid';

/** Stores the process id of the folder's broker, for the start after a kill. */
export function recordBroker(folder: string, pid: number): Promise<void> {
  return writeFile(join(folder, NOTE), `${pid}\n`);
}

/** The folder of a broker's log, settings and process id. */
export const kafkaFolder = (dataDir: string): string => resolve(dataDir, 'kafka');
/** The settings of a broker; also the last word of its command line. */
export const settingsFile = (dataDir: string): string => join(kafkaFolder(dataDir), 'server.properties');

/**
 * Ends the broker that a killed process left running on a data folder. A process is that broker if its command line ends
 * with the folder's settings. Returns whether there was one. Error: it cannot be killed.
 */
export async function stopOrphanedBroker(dataDir: string): Promise<boolean> {
  const folder = kafkaFolder(dataDir);
  const settings = settingsFile(dataDir);
  const pid = Number(await readFile(join(folder, NOTE), 'utf8').catch(() => '0'));
  const hasEnded = async () => !(await commandOf(pid)).endsWith(settings);
  if (pid <= 0 || (await hasEnded())) return false;
  for (const [signal, timeoutMs] of [
    ['SIGTERM', STOP_TIMEOUT_MS],
    ['SIGKILL', KILL_TIMEOUT_MS],
  ] as const) {
    send(pid, signal);
    if (await pollUntil(hasEnded, { everyMs: POLL_MS, timeoutMs })) {
      await rm(join(folder, NOTE), { force: true });
      return true;
    }
  }
  throw new Error(`Kafka process ${pid} uses ${folder} and cannot be ended: stop it first`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended since.
  }
}

/** Returns the command line of a process; empty if it does not exist or is a zombie. */
async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return text.split('\0').join(' ').trim();
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.trim();
}
