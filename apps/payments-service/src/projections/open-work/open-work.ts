import { nextStep, payerIdOf, type Transfer } from '@settle/payments-domain';

export type WorkAct = 'finish' | 'expire';

/** A row of the worker: this payment is to be brought on, or ended, from `dueUs` on. */
export interface OpenWork {
  readonly paymentId: string;
  readonly act: WorkAct;
  /** Whose wallet the work is on, or who pays where it is on none. */
  readonly ownerId: string;
  readonly dueUs: number;
}

export interface WorkTimes {
  readonly nowUs: number;
  readonly finishAfterUs: number;
  readonly expireAfterUs: number;
}

/** What is open in a payment as far as its events say; null when it has come to its end. */
export function openWorkOf(transfer: Transfer, times: WorkTimes): OpenWork | null {
  const { paymentId, payment } = transfer;
  if (payment.status === 'none') return null;
  const { facts } = payment;
  const step = nextStep(transfer, { sourceIdOf: () => null, atUs: times.nowUs });
  if (step.kind === 'rest') {
    if (step.status === 'done') return null;
    return { paymentId, act: 'expire', ownerId: facts.actorId, dueUs: facts.atUs + times.expireAfterUs };
  }
  const ownerId = 'walletId' in step ? step.walletId : (payerIdOf(facts, facts.target.userId) ?? facts.actorId);
  return { paymentId, act: 'finish', ownerId, dueUs: times.nowUs + times.finishAfterUs };
}
