import type { NextStep, Transfer } from './next-step.js';

/**
 * Returns whether a step and the one before it in a unit are concurrent: a store may hold either without the other, and
 * `nextStep` continues from each of these states. True only for the credit of the payee after `PaymentSettled`, if the
 * payer's balance alone pays another user: once the debit stands, nothing but `PaymentSettled` can end that payment. In
 * every other mode another command could end it first. The payer can cancel while a charge is open, so a payment for
 * which a charge was ever requested is no such payment.
 * @param transfer the payment after `previous`
 */
export function areConcurrent({ payment, steps }: Transfer, previous: NextStep, step: NextStep): boolean {
  if (previous.kind !== 'payment' || previous.event.type !== 'PaymentSettled') return false;
  if (step.kind !== 'wallet' || step.command.type !== 'credit') return false;
  if (payment.status === 'none' || payment.facts.mode !== 'transfer') return false;
  const payer = steps.get(payment.facts.actorId);
  return payer !== undefined && payer.isDebited && payer.attempt === 0;
}
