import { readFile } from 'node:fs/promises';

/** Returns the process id with, on Linux, the start time, because the system uses process ids again. */
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

/** Returns the start time on Linux, which differs for a later process with the same id; elsewhere nothing. */
async function startTimeOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return '';
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in parentheses and may hold spaces; the start is the 22nd.
  const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isZombie = state === 'Z' || state === 'X';
  return isZombie ? '' : (rest[18] ?? '');
}
