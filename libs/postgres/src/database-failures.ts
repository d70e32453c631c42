import { LIMITS, newestSecret } from '@settle/config';
import type { Logger } from '@settle/observability';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { isServerAway } from './server-away.js';

const { failureShownMs, failureLoggedEveryMs, readyConnectMs } = LIMITS.postgres;
/** Reasons that are remembered as logged. */
const REASONS_KEPT = 100;

/** What the databases of this process have failed with, so that it shows in the log and in readiness. */
export class DatabaseFailures {
  #logger: Pick<Logger, 'error'> | null = null;
  #lastAtMs = -Infinity;
  readonly #loggedAtMs = new Map<string, number>();

  /** @param nowMs a clock that only goes forwards */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Whether the last one came a few seconds ago. */
  get isRecent(): boolean {
    return this.nowMs() - this.#lastAtMs < failureShownMs;
  }

  /** From now on each reason is logged, not more often than every few seconds. */
  logTo(logger: Pick<Logger, 'error'>): void {
    this.#logger = logger;
  }

  /** Takes note of an error with which a database is unavailable; ignores every other one. */
  add(error: unknown): void {
    if (!isServerAway(error)) return;
    const cause = error instanceof QueryFailedError ? (error.driverError as Error) : (error as Error);
    const { code } = cause as Error & { readonly code?: string };
    const reason = cause.message || code || cause.name;
    const nowMs = this.nowMs();
    this.#lastAtMs = nowMs;
    if (nowMs - (this.#loggedAtMs.get(reason) ?? -Infinity) < failureLoggedEveryMs) return;
    if (this.#loggedAtMs.size >= REASONS_KEPT) this.#loggedAtMs.clear();
    this.#loggedAtMs.set(reason, nowMs);
    this.#logger?.error({ reason, code }, 'the database is unavailable; answering 503');
  }
}

/** Those of this process. */
export const databaseFailures = new DatabaseFailures();

/**
 * Whether the database takes a new connection and would write, and no request has met its failure lately. Connections
 * that are open say little: they outlive a changed password and a server that has become a standby.
 */
export async function isServing(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: newestSecret(url), connectionTimeoutMillis: readyConnectMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
    return rows[0]?.transaction_read_only === 'off' && !databaseFailures.isRecent;
  } catch (error) {
    databaseFailures.add(error);
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
