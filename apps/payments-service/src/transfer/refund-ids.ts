import { idTimeMs, derivePaymentId } from '@settle/contracts';

/**
 * The id of the payment that gives a held pay back. It carries the time of the held pay, as that alone differs from
 * payment to payment: of thousands that expire in one millisecond every few would draw the same id.
 * @param draw how many ids before this one belong to other payments
 */
export function refundIdFor(paymentId: string, draw = 0): string {
  return derivePaymentId(idTimeMs(paymentId), `${paymentId}/refund`, draw);
}
