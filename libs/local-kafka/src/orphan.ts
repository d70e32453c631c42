import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const STOP_TIMEOUT_MS = 5_000;
const KILL_TIMEOUT_MS = 2_000;
const LOOK_EVERY_MS = 25;
const NOTE = 'broker.pid';

/** Remembers which process serves the folder, for a start that follows one that was killed. */
export function recordBroker(folder: string, pid: number): Promise<void> {
  return writeFile(join(folder, NOTE), `${pid}\n`);
}

/** The log, the settings and the notes of a broker live here. */
export const kafkaFolder = (dataDir: string): string => resolve(dataDir, 'kafka');
/** Its settings; also the last word of its command line. */
export const settingsFile = (dataDir: string): string => join(kafkaFolder(dataDir), 'server.properties');

/**
 * Ends the broker that a killed process left on a data folder, and says whether there was one. It is ours when its
 * command line ends with the folder's settings. Errors: one that cannot be killed.
 */
export async function stopOrphanedBroker(dataDir: string): Promise<boolean> {
  const folder = kafkaFolder(dataDir);
  const settings = settingsFile(dataDir);
  const pid = Number(await readFile(join(folder, NOTE), 'utf8').catch(() => '0'));
  const isOurs = async () => (await commandOf(pid)).endsWith(settings);
  if (pid <= 0 || !(await isOurs())) return false;
  for (const [signal, timeoutMs] of [
    ['SIGTERM', STOP_TIMEOUT_MS],
    ['SIGKILL', KILL_TIMEOUT_MS],
  ] as const) {
    send(pid, signal);
    if (await becomes(async () => !(await isOurs()), timeoutMs)) {
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
    // It has ended meanwhile.
  }
}

async function becomes(condition: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await pause(LOOK_EVERY_MS);
  }
  return true;
}

/** Program and arguments of a process, separated by spaces; nothing for one that is not there or is a zombie. */
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
