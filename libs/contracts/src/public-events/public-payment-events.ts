import type { Medium, PaymentAction, TargetType } from '../payment-view.js';
import type { Audience } from '../users-state.js';

export const PUBLIC_MODES = ['transfer', 'hold', 'request', 'trusted', 'refund'] as const;
export const FAIL_REASONS = ['insufficient_funds'] as const;
export const CANCEL_REASONS = ['denied', 'cancelled_by_actor', 'claimed_by_payer'] as const;

/**
 * What each public event of a payment says: ids, cents, status and times. Never a note, an e-mail address or a phone
 * number. `FIELDS` says what each field means.
 */
interface PaymentFactsV1 {
  readonly eventId: string;
  readonly schemaVersion: 1;
  readonly paymentId: string;
  readonly revision: number;
  readonly occurredAt: string;
  readonly createdAt: string;
  readonly action: PaymentAction;
  readonly mode: (typeof PUBLIC_MODES)[number];
  readonly actorUserId: string;
  readonly targetType: TargetType;
  readonly targetUserId: string | null;
  readonly amountCents: number;
  readonly feeCents: number;
  readonly audience: Audience;
  readonly medium: Medium;
  readonly appId: string;
  readonly originalPaymentId: string | null;
}

export interface PaymentCreatedV1 extends PaymentFactsV1 {
  readonly type: 'PaymentCreated';
  readonly status: 'pending';
}

export interface PaymentSettledV1 extends PaymentFactsV1 {
  readonly type: 'PaymentSettled';
  readonly status: 'settled';
  readonly targetUserId: string;
}

export interface PaymentFailedV1 extends PaymentFactsV1 {
  readonly type: 'PaymentFailed';
  readonly status: 'failed';
  readonly reason: (typeof FAIL_REASONS)[number];
}

export interface PaymentExpiredV1 extends PaymentFactsV1 {
  readonly type: 'PaymentExpired';
  readonly status: 'expired';
  readonly refundPaymentId: string | null;
}

export interface PaymentCancelledV1 extends PaymentFactsV1 {
  readonly type: 'PaymentCancelled';
  readonly status: 'cancelled';
  readonly reason: (typeof CANCEL_REASONS)[number];
  readonly refundPaymentId: string | null;
}

/** A record of `payments.events.v1`. */
export type PublicPaymentEvent =
  PaymentCreatedV1 | PaymentSettledV1 | PaymentFailedV1 | PaymentExpiredV1 | PaymentCancelledV1;
