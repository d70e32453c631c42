import { SettleError } from '@settle/contracts';
import { StoreUnavailable } from '@settle/event-store';
import { databaseFailures, isServerUnavailable } from '@settle/postgres';

/** Whether the database is away or too busy, as far as an error tells. Everything else is a bug. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof StoreUnavailable || isServerUnavailable(error);
}

/** Whether an error says that nothing is or will be stored. */
export function isRefusal(error: unknown): boolean {
  return error instanceof SettleError && error.code !== 'outcome_unknown' && error.code !== 'internal_error';
}

/** For work that begins nothing. Error: `service_unavailable` when the database is away. */
export function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (!isDatabaseUnavailable(error)) throw error;
    databaseFailures.record(error);
    throw new SettleError('service_unavailable', 'The ledger cannot be reached and nothing was begun. Send it again.');
  });
}

/** For work that may have stored something. Error: `outcome_unknown` when the database is away. */
export function orUnknown<Result>(paymentId: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (!isDatabaseUnavailable(error)) throw error;
    databaseFailures.record(error);
    throw outcomeUnknown(paymentId);
  });
}

/** For work on a payment that is stored already. Error: `outcome_unknown` where the work cannot be done now. */
export function unknownUnlessDecided<Result>(paymentId: string, work: Promise<Result>): Promise<Result> {
  return orUnknown(paymentId, work).catch((error: unknown) => {
    if (!(error instanceof SettleError) || error.code !== 'service_unavailable') throw error;
    throw outcomeUnknown(paymentId);
  });
}

/** Returns `outcome_unknown`, for a command of which something may be stored. */
export function outcomeUnknown(paymentId: string): SettleError {
  return new SettleError('outcome_unknown', `Read payment ${paymentId} before you send it again.`);
}
