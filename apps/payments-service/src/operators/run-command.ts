import { LIMITS, SettingsError, readSettings, type Settings } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import { createPool } from '@settle/postgres';
import type { Pool } from 'pg';
import { ENVIRONMENT_STORAGE } from '../storage/environments.js';
import { createPaymentTexts } from '../data-keys/create-payment-texts.js';
import type { PaymentTexts } from '../data-keys/payment-texts.js';
import { openEventStore } from '../storage/open-event-store.js';

/** Exit codes of a command: everything in order; differences found, or nothing found; failed. */
export const DONE = 0;
export const FOUND = 1;
const FAILED = 2;

export interface CommandPlace {
  readonly settings: Settings;
  readonly store: EventStore;
  /** Returns the notes and addresses of payments, decrypted with the settings. */
  readonly openTexts: () => Promise<PaymentTexts>;
  /** Opens a pool that sees the tables of an environment. */
  readonly openPool: (environment: Environment) => Pool;
}

/** Runs an operator's command with what the settings name, and sets the exit code. */
export async function runCommand(name: string, command: (place: CommandPlace) => Promise<number>): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  await runWithoutStore(name, async () => {
    const settings = readSettings(process.env);
    const { databaseUrl } = settings;
    if (databaseUrl === null) throw new SettingsError(['DATABASE_URL: it is needed here and not set']);
    const store = await openEventStore({ settings, databaseUrl, isShared: false });
    closers.push(() => store.close());
    const openPool = (environment: Environment) => {
      const { poolConnections: max, statementMs: statementTimeoutMs } = LIMITS.operators;
      const schemas = [ENVIRONMENT_STORAGE[environment].schema];
      const pool = createPool(databaseUrl, { name: `payments-${name}`, max, statementTimeoutMs, schemas });
      closers.push(() => pool.end());
      return pool;
    };
    const openTexts = () => createPaymentTexts(settings, openPool('live'));
    return command({ settings, store, openPool, openTexts });
  });
  for (const close of closers.reverse()) await close();
}

/** Runs an operator's command that needs neither database nor event store, and sets the exit code. */
export async function runWithoutStore(name: string, command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = FAILED;
  }
}

/** Prints a line for the operator. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
