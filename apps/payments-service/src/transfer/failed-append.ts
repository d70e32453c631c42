import { SettleError } from '@settle/contracts';
import { AppendOutcomeUnknown, StoreUnavailable } from '@settle/event-store';
import type { TransferDraft } from './transfer-draft.js';

/** What a failed append means to the caller: only when nothing at all is stored may it be sent again. */
export function answerOf(error: unknown, draft: TransferDraft): unknown {
  if (error instanceof StoreUnavailable && draft.readPosition === 0) {
    return new SettleError('service_unavailable', 'The ledger cannot be reached and nothing was begun. Send it again.');
  }
  if (error instanceof StoreUnavailable || error instanceof AppendOutcomeUnknown) {
    return new SettleError('outcome_unknown', `Read payment ${draft.paymentId} before you send it again.`);
  }
  return error;
}
