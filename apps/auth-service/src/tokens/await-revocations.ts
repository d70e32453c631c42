import { pollUntil } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';

/** Waits until the gateways have the published tokens. Error: `outcome_unknown` after too long; the change is stored. */
export async function awaitRevocations(isPublished: () => Promise<boolean>): Promise<void> {
  const limits = { everyMs: LIMITS.outbox.waiterPollMs, timeoutMs: LIMITS.auth.revocationWaitMs };
  if (await pollUntil(isPublished, limits)) return;
  throw new SettleError('outcome_unknown', 'The change is stored and takes effect shortly.');
}
