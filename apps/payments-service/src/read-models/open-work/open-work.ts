import { nextStep, payerIdOf, type Transfer } from '@settle/payments-domain';

export type WorkAct = 'finish' | 'expire';

/**
 * A row of the worker: this payment is to be brought on, or ended. When it falls due is not part of it: how long each
 * act waits may be set anew.
 */
export interface OpenWork {
  readonly paymentId: string;
  readonly act: WorkAct;
  /** Whose wallet the work is on, or who pays where it is on none. */
  readonly ownerId: string;
  /** What its wait counts from: the payment's creation for its expiry, else when it was found unfinished. */
  readonly sinceUs: number;
}

/** What is open in a payment as far as its events say; null when it has come to its end. */
export function openWorkOf(transfer: Transfer, nowUs: number): OpenWork | null {
  const { paymentId, payment } = transfer;
  if (payment.status === 'none') return null;
  const { facts } = payment;
  const step = nextStep(transfer, { sourceIdOf: () => null, atUs: nowUs });
  if (step.kind === 'rest') {
    if (step.status === 'done') return null;
    return { paymentId, act: 'expire', ownerId: facts.actorId, sinceUs: facts.atUs };
  }
  const ownerId = 'walletId' in step ? step.walletId : (payerIdOf(facts, facts.target.userId) ?? facts.actorId);
  return { paymentId, act: 'finish', ownerId, sinceUs: nowUs };
}
