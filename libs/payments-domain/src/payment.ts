import type { CancelReason, PaymentCreated, PaymentEvent } from './payment-events.js';

export type PaymentFacts = PaymentCreated['data'];

/** A payment after its events. `pending`: created and not ended, including while its creation is in progress. */
export type PaymentState =
  | { readonly status: 'none' }
  | { readonly status: 'pending'; readonly facts: PaymentFacts }
  | { readonly status: 'failed'; readonly facts: PaymentFacts; readonly endedAtUs: number }
  | {
      readonly status: 'settled';
      readonly facts: PaymentFacts;
      readonly targetUserId: string;
      /** Whether a source at the provider paid; absent if the balance did. */
      readonly isFromSource?: true;
      readonly endedAtUs: number;
    }
  /** Ended without being settled: debits are returned. */
  | {
      readonly status: 'expired' | 'cancelled';
      readonly facts: PaymentFacts;
      readonly reason: CancelReason | 'expired';
      readonly refundId: string | null;
      readonly targetUserId: string | null;
      readonly endedAtUs: number;
    };

export type ExistingPayment = Exclude<PaymentState, { status: 'none' }>;

export const NO_PAYMENT: PaymentState = { status: 'none' };

/** Folds an event into the state. Total: an event that cannot follow leaves the state unchanged. */
export function evolvePayment(state: PaymentState, event: PaymentEvent): PaymentState {
  if (event.type === 'PaymentCreated') {
    return state.status === 'none' ? { status: 'pending', facts: event.data } : state;
  }
  if (state.status !== 'pending') return state;
  const { facts } = state;
  switch (event.type) {
    case 'PaymentSettled': {
      const { targetUserId, isFromSource, atUs: endedAtUs } = event.data;
      const settled = { status: 'settled', facts, targetUserId, endedAtUs } as const;
      return isFromSource === undefined ? settled : { ...settled, isFromSource };
    }
    case 'PaymentFailed':
      return { status: 'failed', facts, endedAtUs: event.data.atUs };
    case 'PaymentExpired':
    case 'PaymentCancelled': {
      const { refundId, targetUserId, atUs: endedAtUs } = event.data;
      const end = { facts, refundId, targetUserId, endedAtUs };
      return event.type === 'PaymentExpired'
        ? { status: 'expired', reason: 'expired', ...end }
        : { status: 'cancelled', reason: event.data.reason, ...end };
    }
  }
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
