import type { CancelReason, PaymentCreated, PaymentEvent } from './payment-events.js';

export type PaymentFacts = PaymentCreated['data'];

export interface NoPayment {
  readonly status: 'none';
}

/** Created and not ended, including while its creation is in progress. */
export interface PendingPayment {
  readonly status: 'pending';
  readonly facts: PaymentFacts;
}

export interface SettledPayment {
  readonly status: 'settled';
  readonly facts: PaymentFacts;
  readonly targetUserId: string;
  readonly endedAtUs: number;
}

export interface FailedPayment {
  readonly status: 'failed';
  readonly facts: PaymentFacts;
  readonly endedAtUs: number;
}

/** Ended without being settled: debits are returned. */
export interface AbandonedPayment {
  readonly status: 'expired' | 'cancelled';
  readonly facts: PaymentFacts;
  readonly reason: CancelReason | 'expired';
  readonly refundId: string | null;
  readonly targetUserId: string | null;
  readonly endedAtUs: number;
}

export type ExistingPayment = PendingPayment | SettledPayment | FailedPayment | AbandonedPayment;
export type PaymentState = NoPayment | ExistingPayment;

export const NO_PAYMENT: NoPayment = { status: 'none' };

/** Folds an event into the state. Total: an event that cannot follow leaves the state unchanged. */
export function evolvePayment(state: PaymentState, event: PaymentEvent): PaymentState {
  if (event.type === 'PaymentCreated') {
    return state.status === 'none' ? { status: 'pending', facts: event.data } : state;
  }
  if (state.status !== 'pending') return state;
  const { facts } = state;
  switch (event.type) {
    case 'PaymentSettled':
      return { status: 'settled', facts, targetUserId: event.data.targetUserId, endedAtUs: event.data.atUs };
    case 'PaymentFailed':
      return { status: 'failed', facts, endedAtUs: event.data.atUs };
    case 'PaymentExpired':
      return { status: 'expired', facts, reason: 'expired', ...endOf(event.data) };
    case 'PaymentCancelled':
      return { status: 'cancelled', facts, reason: event.data.reason, ...endOf(event.data) };
  }
}

function endOf(data: { refundId: string | null; targetUserId: string | null; atUs: number }) {
  return { refundId: data.refundId, targetUserId: data.targetUserId, endedAtUs: data.atUs };
}

/** Returns the target according to the payment's own events. */
export function targetUserIdOf(payment: ExistingPayment): string | null {
  if (payment.facts.target.userId !== null) return payment.facts.target.userId;
  return payment.status === 'pending' || payment.status === 'failed' ? null : payment.targetUserId;
}

/** Returns what leaves the payer's wallet: the amount plus the fee. */
export function totalCentsOf(facts: PaymentFacts): number {
  return facts.amountCents + facts.feeCents;
}
