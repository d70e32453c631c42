import { LIMITS } from '@settle/config';
import { SettleError, usersKnown, type UsersKnown } from '@settle/contracts';
import type { MessageClient } from '@settle/messaging';

/**
 * Resolves once payments-service begins no more payments with an older version of the record. Call it after the commit
 * of a freeze, a block or a withdrawal of trust, before confirming it: once for each record. Error: `outcome_unknown`
 * after 2 s, or if payments-service is unavailable: the change is stored and will be published.
 * @param record version 0: it was never published
 */
export async function awaitPaymentsReplica(client: MessageClient, record: UsersKnown): Promise<void> {
  if (record.version === 0) return;
  const options = { key: record.key, timeoutMs: LIMITS.users.confirmWaitMs };
  await client.request(usersKnown, record, options).catch((error: unknown) => {
    if (!(error instanceof SettleError)) throw error;
    throw effectIsLate();
  });
}

/** Returns the error for a change that payments may not have received yet. */
export function effectIsLate(): SettleError {
  return new SettleError('outcome_unknown', 'The change is stored and takes effect shortly.');
}
