import { LIMITS } from '@settle/config';
import { SettleError, usersKnown } from '@settle/contracts';
import type { MessageClient } from '@settle/messaging';

/** A record of `users.state.v1` as of some change. */
export interface RecordVersion {
  /** As `usersStateKey` makes it. */
  readonly key: string;
  readonly epoch: number;
  /** 0: the record was never published. */
  readonly version: number;
}

/**
 * Resolves once no payment that begins from now on is decided by an older version of the record. To be asked, after the
 * commit, by whatever freezes, blocks or takes trust away, before it says that this is done: one call for each record.
 * Error: `outcome_unknown` after 2 s, or when the payments service is away: the change is stored and goes out.
 */
export async function untilPaymentsKnow(client: MessageClient, record: RecordVersion): Promise<void> {
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
