import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { LIMITS, type EnvironmentVariables } from '@settle/config';
import type { LogEvent, LogState, ServiceName } from '@settle/contracts';
import type { REFERENCE_PROVIDER } from '../reference-provider.js';

/**
 * Returns the path of a built program of a service: its process, or a command. A restore does nothing to a service's
 * tables but through that service.
 */
export function programOf(service: ServiceName | typeof REFERENCE_PROVIDER, program: string): string {
  return fileURLToPath(new URL(`../../../../apps/${service}/dist/${program}.js`, import.meta.url));
}

/** `verify` verifies the ledger, `republish` raises the epoch of public payment events. */
export const LEDGER = programOf('payments-service', 'operators/ledger-command');
/** Prints a `LogState`. */
const LOG_STATE = programOf('payments-service', 'operators/log-state-command');

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a service's command; `say` receives each line at once. Errors: it does not end in time. */
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

/** Returns the state of the log. @param env the settings of payments-service, `DATABASE_URL` being its own database */
export async function readLogState(env: EnvironmentVariables): Promise<LogState> {
  return JSON.parse(await outputOf([LOG_STATE], env, 'Reading where the log ends')) as LogState;
}

/** Whether the log holds this event, with this id at this position. */
export async function logHolds(
  env: EnvironmentVariables,
  { position, id, stream, revision }: LogEvent,
): Promise<boolean> {
  const event = [stream, String(revision), id, String(position)];
  const answer = await outputOf([LOG_STATE, 'holds', ...event], env, 'Looking for the newest event of the backup');
  return answer === 'true';
}
