import { SettleError } from '@settle/contracts';
import { AppendOutcomeUnknown, StoreUnavailable } from '@settle/event-store';
import type { TransferProgress } from './transfer-progress.js';

/** Returns the error for the caller of a failed append: `service_unavailable` only if nothing of the payment is stored. */
export function settleErrorOfAppend(error: unknown, { paymentId, history }: TransferProgress): unknown {
  if (error instanceof StoreUnavailable && history.position === 0) {
    return new SettleError('service_unavailable', 'The ledger is unavailable and nothing was stored. Send it again.');
  }
  if (error instanceof StoreUnavailable || error instanceof AppendOutcomeUnknown) {
    return new SettleError('outcome_unknown', `Read payment ${paymentId} before you send it again.`);
  }
  return error;
}
