import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/**
 * Lost connections, exhausted resources, statements or sessions that the server has ended, disk and internal errors,
 * rejected accounts, and read-only servers, which are standbys after a failover.
 */
const UNAVAILABLE_CODES = /^(08|53|57|58|XX|28|25006|25P03)/;
/** Codes and messages of `pg` and of the network, without a server code. */
const UNAVAILABLE_CAUSES =
  /^(E[A-Z]+$|Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has)/;

/** Returns whether an error of `pg` or TypeORM means that the server is unavailable or overloaded. Other errors are bugs. */
export function isServerUnavailable(error: unknown): boolean {
  if (error instanceof QueryFailedError) return isServerUnavailable(error.driverError);
  if (error instanceof pg.DatabaseError) return UNAVAILABLE_CODES.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  return UNAVAILABLE_CAUSES.test('code' in error ? String(error.code) : error.message);
}
