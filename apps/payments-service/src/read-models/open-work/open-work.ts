import { nextStep, payerIdOf, type Transfer } from '@settle/payments-domain';

export type WorkAct = 'finish' | 'expire' | 'funding';

/**
 * A row of the worker: a payment to complete or to expire. Its due time is not stored, because the waiting time of each
 * act is a setting.
 */
export interface OpenWork {
  readonly paymentId: string;
  readonly act: WorkAct;
  /** Owner of the wallet that the next step changes; the payer if it changes none. */
  readonly ownerId: string;
  /** Start of the waiting time: the payment's creation for an expiry, otherwise when it was found incomplete. */
  readonly sinceUs: number;
}

/** Returns the open work of a payment according to its events; null if it has none. */
export function openWorkOf(transfer: Transfer, nowUs: number): OpenWork | null {
  const { paymentId, payment } = transfer;
  if (payment.status === 'none') return null;
  const { facts } = payment;
  const step = nextStep(transfer, { sourceIdOf: () => null, atUs: nowUs });
  if (step.kind === 'idle') {
    if (step.status === 'done') return null;
    return { paymentId, act: 'expire', ownerId: facts.actorId, sinceUs: facts.atUs };
  }
  if ((step.kind === 'charge' || step.kind === 'repay') && step.beginBeforeUs !== undefined) {
    return { paymentId, act: 'funding', ownerId: step.walletId, sinceUs: nowUs };
  }
  const ownerId = 'walletId' in step ? step.walletId : (payerIdOf(facts, facts.target.userId) ?? facts.actorId);
  return { paymentId, act: 'finish', ownerId, sinceUs: nowUs };
}
