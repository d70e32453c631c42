import { SettleError } from '@settle/contracts';
import { AppendOutcomeUnknown, StoreUnavailable } from '@settle/event-store';
import { databaseFailures } from '@settle/postgres';
import { isDatabaseUnavailable } from '../storage/database-unavailable.js';

const UNKNOWN =
  'Whether it was stored is not known. Read the list of deposits and withdrawals before you send it again.';

export function noProvider(): SettleError {
  return new SettleError(
    'service_unavailable',
    'No payment provider is set, so money can be neither added nor withdrawn.',
  );
}

export function notYet(): SettleError {
  return new SettleError('service_unavailable', 'The payment provider cannot be used yet. Send it again shortly.');
}

export function providerSilent(): SettleError {
  return new SettleError('service_unavailable', 'The payment provider did not answer. Try it again in a minute.');
}

export function unknownSource(): SettleError {
  return new SettleError('resource_not_found', 'There is no such card or bank account.');
}

export function foreignCard(): SettleError {
  return new SettleError('not_permitted', 'This card or bank account belongs to another user. Add a different one.');
}

export function unknownFunding(): SettleError {
  return new SettleError('resource_not_found', 'There is no such withdrawal.');
}

export function otherContent(): SettleError {
  return new SettleError('not_permitted', 'This id belongs to another request. Open the form again and send it anew.');
}

export function refusedNow(message: string): SettleError {
  return new SettleError('not_permitted', message);
}

/** Returns a time in microseconds since 1970 as users read it, in UTC. */
export function formatUntil(timeUs: number): string {
  const minuteUs = 60_000_000;
  const [day = '', time = ''] = new Date((Math.ceil(timeUs / minuteUs) * minuteUs) / 1_000).toISOString().split('T');
  return `${day} ${time.slice(0, 5)} UTC`;
}

/** Returns the error of a failed first append: `service_unavailable` only if nothing is stored. */
export function errorOfFirstAppend(error: unknown): unknown {
  if (error instanceof StoreUnavailable) {
    return new SettleError('service_unavailable', 'The ledger is unavailable and nothing was stored. Send it again.');
  }
  return error instanceof AppendOutcomeUnknown ? new SettleError('outcome_unknown', UNKNOWN) : error;
}

/** For work on something that is stored. Error: `outcome_unknown` when the database or the store is unavailable. */
export function orUnknownOutcome<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (!isDatabaseUnavailable(error) && !(error instanceof AppendOutcomeUnknown)) throw error;
    databaseFailures.record(error);
    throw new SettleError('outcome_unknown', UNKNOWN);
  });
}
