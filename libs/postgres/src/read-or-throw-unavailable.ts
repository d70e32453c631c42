import { SettleError } from '@settle/contracts';
import { databaseFailures } from './database-failures.js';
import { isServerUnavailable } from './server-unavailable.js';

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
