import { SettleError } from '@settle/contracts';
import { AppendOutcomeUnknown, StoreUnavailable } from '@settle/event-store';
import { databaseFailures } from '@settle/postgres';
import { isDatabaseUnavailable } from '../storage/database-unavailable.js';

const UNKNOWN =
  'Whether it was stored is not known. Read the list of deposits and withdrawals before you send it again.';

/** Returns `service_unavailable`, for a request without a payment provider in the settings. */
export function noProvider(): SettleError {
  return new SettleError(
    'service_unavailable',
    'No payment provider is set, so money can be neither added nor withdrawn.',
  );
}

/** Returns `service_unavailable`, for a request before the provider was checked or its changes were read to the end. */
export function notYet(): SettleError {
  return new SettleError('service_unavailable', 'The payment provider cannot be used yet. Send it again shortly.');
}

/** Returns `service_unavailable`, for a request about a source to which the provider did not respond. */
export function providerSilent(): SettleError {
  return new SettleError('service_unavailable', 'The payment provider did not answer. Try it again in a minute.');
}

/** Returns `resource_not_found`, for a source that does not exist or belongs to another user: a caller cannot tell which. */
export function unknownSource(): SettleError {
  return new SettleError('resource_not_found', 'There is no such card or bank account.');
}

/** Returns `not_permitted`, for a source of the provider that another user has added. */
export function foreignCard(): SettleError {
  return new SettleError('not_permitted', 'This card or bank account belongs to another user. Add a different one.');
}

/** Returns `resource_not_found`, for a withdrawal that does not exist or belongs to another user: a caller cannot tell which. */
export function unknownFunding(): SettleError {
  return new SettleError('resource_not_found', 'There is no such withdrawal.');
}

/** Returns `not_permitted`, for an id that a deposit or withdrawal with other content has, here or at the provider. */
export function otherContent(): SettleError {
  return new SettleError(
    'not_permitted',
    'This form was sent before with other values. Open it again and send it anew.',
  );
}

/**
 * Returns `not_permitted`, for a request that the state of the source, the wallet or the withdrawal forbids.
 * @param message shown to the user: what is wrong and what to do
 */
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
