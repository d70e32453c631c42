import { SettleError } from '@settle/contracts';
import { databaseFailures, isServerUnavailable } from '@settle/postgres';

/** Returns the result of idempotent work. Error: `service_unavailable` if the database is unavailable. */
export async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isServerUnavailable(error)) throw error;
    databaseFailures.record(error);
    throw new SettleError('service_unavailable', 'The database cannot be reached. Send it again in a moment.');
  }
}
