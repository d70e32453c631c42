import { SettleError } from '@settle/contracts';
import { databaseFailures } from './database-failures.js';
import { isServerAway } from './server-away.js';

/** For work that only reads. Error: `service_unavailable` when the server is away. */
export async function readOrUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!isServerAway(error)) throw error;
    databaseFailures.add(error);
    throw new SettleError('service_unavailable', 'The database cannot be reached. Nothing was changed; send it again.');
  }
}
