import { SettleError } from '@settle/contracts';
import { databaseFailures } from './database-failures.js';
import { isServerAway } from './server-unavailable.js';

/** Returns the result of work that only reads. Error: `service_unavailable` if the database is unavailable. */
export async function readOrUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!isServerAway(error)) throw error;
    databaseFailures.add(error);
    throw new SettleError('service_unavailable', 'The database is unavailable. Nothing was changed; send it again.');
  }
}
