import { pollUntil } from '@settle/concurrency';
import { LIMITS, type Settings } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import type { UserRecord } from '@settle/contracts';
import { isId } from '@settle/contracts';
import type { Pool } from 'pg';
import { ChargeReader } from '../../funding/charge-reader.js';
import { appendToFunding } from '../../funding/funding-appends.js';
import { FundingHistoryReader } from '../../funding/funding-history.js';
import { ChangeCursor } from '../../provider/change-cursor.js';
import type { Clock } from '../../storage/clock.js';
import { ENVIRONMENT_STORAGE } from '../../storage/environments.js';
import { SERVING_CONNECTIONS } from '../../storage/open-pools.js';
import type { FundingEvent } from '../../storage/streams.js';
import { PaymentHistoryReader } from '../../transfer/payment-history.js';
import { emptyWallet } from '../../transfer/transfer-progress.js';

/** Everything that an operator's command about funding works with. */
export interface FundingPlace {
  readonly settings: Pick<Settings, 'funding' | 'migrationsDatabaseUrl'>;
  /** Streams of the live environment; the pool sees its tables. */
  readonly store: EventStore;
  readonly pool: Pool;
  readonly clock: Clock;
  /** Prints a line for the operator. */
  readonly say: (line: string) => void;
  /** Longest wait for the running product. */
  readonly outcomeWaitMs: number;
}

/** The line with which a command ends that would have changed something. */
export const DRY_RUN = 'Nothing was stored. Add --confirm to do it';

const EMPTY_WALLET = emptyWallet(ENVIRONMENT_STORAGE.live.openingCents);

/** Returns a reader of deposits and withdrawals with the steps of their owners' wallets. Nothing is held from operators. */
export function historiesOf({ store, pool }: FundingPlace): FundingHistoryReader {
  return new FundingHistoryReader(store, pool, EMPTY_WALLET, () => Infinity);
}

/** Returns a reader of the charges that the log knows. */
export function chargesOf(place: FundingPlace): ChargeReader {
  return new ChargeReader(new PaymentHistoryReader(place.store, place.pool, EMPTY_WALLET), historiesOf(place));
}

/**
 * Refuses to decide about money while it is unknown what the provider did before a restore: a withdrawal that was paid out
 * already would be balance again. Error: a provider is set, and its list of changes is not read to its end.
 */
export async function requireChangesRead({ settings, pool }: FundingPlace): Promise<void> {
  if (settings.funding.provider === null || (await new ChangeCursor(pool).isReadToEnd())) return;
  throw new Error(
    "The provider's list of changes was not read to its end since the database is new or restored. Start payments-service, " +
      'which reads it, and run the command again',
  );
}

/** Appends events of one stream. Error: the stream has changed since it was read. */
export async function appendOnce(
  { store }: Pick<FundingPlace, 'store'>,
  events: readonly FundingEvent[],
  expectedRevision: number,
): Promise<void> {
  const [first] = events;
  if (first === undefined || (await appendToFunding(store, events, expectedRevision)) !== null) return;
  throw new Error(`The ${first.kind} ${first.id} has just changed: look at it and run the command again`);
}

/** Finds a user by id or username. Error: one line, if there is none. */
export async function findUser({ pool }: FundingPlace, idOrName: string): Promise<UserRecord> {
  const byId = isId(idOrName)
    ? await pool.query<{ record: UserRecord }>('select record from known_users where user_id = $1', [idOrName])
    : null;
  // Without an index: operators ask rarely, and services never do.
  const { rows } =
    byId !== null && byId.rows.length > 0
      ? byId
      : await pool.query<{ record: UserRecord }>(
          `select record from known_users where record #>> '{card,username}' = $1 limit 1`,
          [idOrName],
        );
  const [row] = rows;
  if (row === undefined) throw new Error(`There is no user "${idOrName}". Write the id or the username`);
  return row.record;
}

/** Returns whether an instance of payments-service has connections to this database. */
async function isServed(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query(
    'select from pg_stat_activity where datname = current_database() and application_name = $1 limit 1',
    [SERVING_CONNECTIONS],
  );
  return rows.length > 0;
}

/**
 * Waits until the running product has done what was stored, and says so if it has not.
 * @param isDone reads the state; called until it returns true or the time is over
 */
export async function awaitProduct(
  { pool, say, outcomeWaitMs: timeoutMs }: FundingPlace,
  isDone: () => Promise<boolean>,
): Promise<boolean> {
  if (!(await isServed(pool))) {
    say('Stored. No payments-service runs on this database: it is finished after the next start');
    return false;
  }
  const isOver = await pollUntil(isDone, { everyMs: LIMITS.operators.outcomePollMs, timeoutMs });
  if (!isOver) {
    say(`Stored, and not finished after ${timeoutMs / 1_000} s: "npm run funding -- pending" shows what it waits for`);
  }
  return isOver;
}
