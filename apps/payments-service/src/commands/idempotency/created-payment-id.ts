import { LIMITS } from '@settle/config';
import { idTimeMs, derivePaymentId } from '@settle/contracts';
import type { PaymentHistoryReader } from '../../transfer/payment-history.js';

/**
 * Returns the id of the payment that a command has created, or null if it has created none. If the command's first id
 * belongs to another payment, the command draws the next ones, the same at every repetition.
 */
export async function createdPaymentId(
  histories: Pick<PaymentHistoryReader, 'readPayment'>,
  { commandId, paymentId }: { readonly commandId: string; readonly paymentId: string },
): Promise<string | null> {
  let id = paymentId;
  for (let draw = 1; draw <= LIMITS.payments.appendTries; draw += 1) {
    const { payment } = await histories.readPayment(id);
    if (payment.status === 'none') return null;
    if (payment.facts.commandId === commandId) return id;
    id = derivePaymentId(idTimeMs(paymentId), commandId, draw);
  }
  return null;
}
