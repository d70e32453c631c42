import { spawn } from 'node:child_process';
import { LIMITS, type EnvironmentVariables } from '@settle/config';
import type { LogEvent, LogState } from '@settle/contracts';
import type { ServiceDatabases } from '../databases.js';

/** Built commands of the services, as paths: a restore does nothing to a service's tables but through that service. */
export interface ServicePrograms {
  /** Migrate the database of each service, as the role that owns its tables. */
  readonly migrations: Readonly<Record<keyof ServiceDatabases, string>>;
  /** Prints a `LogState`. */
  readonly logState: string;
  /** Raises the epoch of the users' records, in the database of users-service. */
  readonly raiseUsersEpoch: string;
  /** Ends every session, token and grant, in the database of auth-service. */
  readonly endSessions: string;
  /** `verify` verifies the ledger, `republish` raises the epoch of public payment events. */
  readonly ledger: string;
}

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a service's command; its lines go to `say` as they come. Errors: it does not end in time. */
export function runServiceCommand(
  [program, ...args]: readonly [string, ...string[]],
  env: EnvironmentVariables,
  say: ((line: string) => void) | null,
): Promise<Ended> {
  const isBounded = say === null;
  const child = spawn(process.execPath, ['--no-warnings', program, ...args], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(isBounded ? { timeout: LIMITS.backup.commandWaitMs } : {}),
  });
  let output = '';
  let line = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    const lines = (line + chunk).split('\n');
    line = lines.pop() ?? '';
    for (const whole of lines) say?.(whole);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 2, output }));
  });
}

/** Runs a command that must succeed and returns its output. Errors: one line that names the failed command. */
export async function outputOf(
  command: readonly [string, ...string[]],
  env: EnvironmentVariables,
  what: string,
): Promise<string> {
  const { code, output } = await runServiceCommand(command, env, null);
  if (code !== 0) throw new Error(`${what} failed: its reason stands above`);
  return output.trim();
}

/** Returns where the log stands. @param env the settings of payments-service, `DATABASE_URL` being its own database */
export async function readLogState(programs: ServicePrograms, env: EnvironmentVariables): Promise<LogState> {
  return JSON.parse(await outputOf([programs.logState], env, 'Reading where the log ends')) as LogState;
}

/** Whether the log holds this event, with this id at this position. */
export async function logHolds(
  programs: ServicePrograms,
  env: EnvironmentVariables,
  { position, id, stream, revision }: LogEvent,
): Promise<boolean> {
  const event = [stream, String(revision), id, String(position)];
  const answer = await outputOf(
    [programs.logState, 'holds', ...event],
    env,
    'Looking for the newest event of the backup',
  );
  return answer === 'true';
}
