import { LIMITS, newestSecret } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import { QueryFailedError } from 'typeorm';
import { isServerUnavailable } from './server-unavailable.js';
import { withClient } from './with-client.js';

const { failureShownMs, failureLoggedEveryMs, readyConnectMs, readyConnectEveryMs } = LIMITS.postgres;
/** Most reasons whose last log time is remembered. */
const MAX_LOGGED_REASONS = 100;

/** Records the failures of the databases of this process for the log and the readiness check. */
export class DatabaseFailures {
  #logger: Pick<Logger, 'error'> | null = null;
  #lastAtMs = -Infinity;
  readonly #loggedAtMs = new Map<string, number>();

  /** @param nowMs a monotonic clock */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Whether a failure was recorded within the last few seconds. */
  get isRecent(): boolean {
    return this.nowMs() - this.#lastAtMs < failureShownMs;
  }

  /** Sets the logger. It gets each reason at most once every few seconds. */
  setLogger(logger: Pick<Logger, 'error'>): void {
    this.#logger = logger;
  }

  /** Records an error that means that a database is unavailable; ignores all other errors. */
  record(error: unknown): void {
    if (!isServerUnavailable(error)) return;
    const cause = error instanceof QueryFailedError ? (error.driverError as Error) : (error as Error);
    const { code } = cause as Error & { readonly code?: string };
    const reason = cause.message || code || cause.name;
    const nowMs = this.nowMs();
    this.#lastAtMs = nowMs;
    if (nowMs - (this.#loggedAtMs.get(reason) ?? -Infinity) < failureLoggedEveryMs) return;
    if (this.#loggedAtMs.size >= MAX_LOGGED_REASONS) this.#loggedAtMs.clear();
    this.#loggedAtMs.set(reason, nowMs);
    this.#logger?.error({ reason, code }, 'the database is unavailable; answering 503');
  }
}

/** The failures of all databases of this process. */
export const databaseFailures = new DatabaseFailures();

/**
 * Returns whether the database accepts a new connection, is writable, and has caused no failure lately. The check needs a
 * new connection because open ones survive a changed password, and a server that has become a standby.
 */
export async function isDatabaseReady(url: string): Promise<boolean> {
  const bounds = { connectionTimeoutMillis: readyConnectMs, query_timeout: readyConnectMs };
  const config = { connectionString: newestSecret(url), ...bounds };
  try {
    const { rows } = await withClient(config, (client) =>
      client.query<{ transaction_read_only: string }>('show transaction_read_only'),
    );
    return rows[0]?.transaction_read_only === 'off' && !databaseFailures.isRecent;
  } catch (error) {
    databaseFailures.record(error);
    return false;
  }
}

/**
 * Returns a readiness check of a database: `isDatabaseReady`, whose success counts for a while as long as no request meets a
 * failure of the database. A database that needs longer than a readiness check may is not ready. Checks at the same time
 * share one connection.
 * @param everyMs for so long, from the beginning of the check
 */
export function createDatabaseCheck(url: string, everyMs: number = readyConnectEveryMs): () => Promise<boolean> {
  let readySinceMs = -Infinity;
  let pending: Promise<boolean> | null = null;
  const check = async (): Promise<boolean> => {
    const startedAtMs = performance.now();
    const isReady = (await isDatabaseReady(url)) && performance.now() - startedAtMs < LIMITS.health.checkWaitMs;
    if (isReady) readySinceMs = startedAtMs;
    return isReady;
  };
  return async () => {
    if (performance.now() - readySinceMs < everyMs) return !databaseFailures.isRecent;
    pending ??= check().finally(() => (pending = null));
    return pending;
  };
}

/** Returns the result of work that only reads. Error: `service_unavailable` if the database is unavailable. */
export async function readOrThrowUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!isServerUnavailable(error)) throw error;
    databaseFailures.record(error);
    throw new SettleError('service_unavailable', 'The database is unavailable. Nothing was changed; send it again.');
  }
}
