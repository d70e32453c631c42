import { LIMITS, SettingsError, readSettings, type Settings } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import { openEventStore } from '../storage/open-event-store.js';

/** Exit codes of a command: everything in order, differences found, failed. */
export const DONE = 0;
export const FOUND = 1;
const FAILED = 2;

export interface CommandPlace {
  readonly settings: Settings;
  /** URL of the payments database. Contains a password. */
  readonly databaseUrl: string;
  readonly store: EventStore;
}

/** Runs an operator's command with what the settings name, and sets the exit code. */
export async function runCommand(name: string, command: (place: CommandPlace) => Promise<number>): Promise<void> {
  let store: EventStore | null = null;
  try {
    const settings = readSettings(process.env);
    const { databaseUrl } = settings;
    if (databaseUrl === null) throw new SettingsError(['DATABASE_URL: it is needed here and not set']);
    store = await openEventStore({ settings, databaseUrl, isShared: false });
    process.exitCode = await command({ settings, databaseUrl, store });
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = FAILED;
  } finally {
    await store?.close();
  }
}

/** Prints a line for the operator. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Limits how often `say` is called; the first call goes through at once. */
export function seldom(tell: (line: string) => void): (line: string) => void {
  let toldAtMs = -Infinity;
  return (line) => {
    if (performance.now() - toldAtMs < LIMITS.operators.progressEveryMs) return;
    toldAtMs = performance.now();
    tell(line);
  };
}
