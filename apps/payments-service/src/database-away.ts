import { SettleError } from '@settle/contracts';
import { StoreUnavailable } from '@settle/event-store';
import pg from 'pg';

/** Lost connections, exhausted resources, and statements or sessions that the server ended. */
const AWAY_CODES = /^(08|53|57)/;
/** What pg and the network say without a code of the server. */
const AWAY_CAUSES =
  /^(E[A-Z]+$|Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has)/;

/** Whether the database is away or too busy, as far as an error tells. Everything else is a bug. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  if (error instanceof pg.DatabaseError) return AWAY_CODES.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  return AWAY_CAUSES.test('code' in error ? String(error.code) : error.message);
}

/** For work that begins nothing. Error: `service_unavailable` when the database is away. */
export function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (!isDatabaseAway(error)) throw error;
    throw new SettleError('service_unavailable', 'The ledger cannot be reached and nothing was begun. Send it again.');
  });
}

/** For work that may have stored something. Error: `outcome_unknown` when the database is away. */
export function orUnknown<Result>(paymentId: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (!isDatabaseAway(error)) throw error;
    throw new SettleError('outcome_unknown', `Read payment ${paymentId} before you send it again.`);
  });
}
