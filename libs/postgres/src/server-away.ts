import { SettleError } from '@settle/contracts';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/** Lost connections, exhausted resources, and statements or sessions that the server ended. */
const AWAY_CODES = /^(08|53|57)/;
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

/** For work that only reads. Error: `service_unavailable` when the server is away. */
export async function readOrUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!isServerAway(error)) throw error;
    throw new SettleError('service_unavailable', 'The database cannot be reached. Nothing was changed; send it again.');
  }
}
