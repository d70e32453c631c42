import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/**
 * Lost connections, exhausted resources, statements or sessions that the server ended, and failures of its disk or its
 * own; an account that it does not take any more; a server that only reads, which is a standby after a failover.
 */
const AWAY_CODES = /^(08|53|57|58|XX|28|25006|25P03)/;
/** What pg and the network say without a code of the server. */
const AWAY_CAUSES =
  /^(E[A-Z]+$|Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has)/;

/** Whether the server is away or too busy, as far as an error of pg or TypeORM tells. Everything else is a bug. */
export function isServerAway(error: unknown): boolean {
  if (error instanceof QueryFailedError) return isServerAway(error.driverError);
  if (error instanceof pg.DatabaseError) return AWAY_CODES.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  return AWAY_CAUSES.test('code' in error ? String(error.code) : error.message);
}
