import { idTimeMs, paymentIdFor } from '@settle/contracts';
import type { TransferHistories } from '../transfer/transfer-histories.js';

/**
 * The id of the payment that a command has begun; null when it has begun none. Where the command's first id was
 * another payment's, it drew the next, and the same ones whenever it is followed.
 */
export async function begunPaymentId(
  histories: Pick<TransferHistories, 'payment'>,
  { commandId, paymentId }: { readonly commandId: string; readonly paymentId: string },
): Promise<string | null> {
  let id = paymentId;
  for (let draw = 1; ; draw += 1) {
    const { payment } = await histories.payment(id);
    if (payment.status === 'none') return null;
    if (payment.facts.commandId === commandId) return id;
    id = paymentIdFor(idTimeMs(paymentId), commandId, draw);
  }
}
