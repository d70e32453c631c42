import { readFile } from 'node:fs/promises';

/** Names a process for as long as the machine runs: its number, and on Linux when it was started. */
export async function processIdentity(pid: number): Promise<string> {
  return `${pid} ${await startTimeOf(pid)}`;
}

/** Whether the process that `processIdentity` named still runs. */
export async function isProcessAlive(identity: string): Promise<boolean> {
  const [pidText = '', startTime = ''] = identity.split(' ');
  const pid = Number(pidText);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return (await startTimeOf(pid)) === startTime;
}

/** Tells a process from a later one of the same number: on Linux when it was started, elsewhere nothing. */
async function startTimeOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return '';
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in parentheses and may hold spaces; the start is the 22nd.
  const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isZombie = state === 'Z' || state === 'X';
  return isZombie ? '' : (rest[18] ?? '');
}
