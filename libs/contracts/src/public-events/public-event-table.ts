import {
  fieldsOf,
  reasonOf,
  refundPaymentId,
  settledTarget,
  type FieldSchema,
  type Fields,
} from './public-event-fields.js';
import {
  CANCEL_REASONS,
  FAIL_REASONS,
  type PaymentCancelledV1,
  type PaymentCreatedV1,
  type PaymentExpiredV1,
  type PaymentFailedV1,
  type PaymentSettledV1,
  type PublicPaymentEvent,
} from './public-payment-events.js';

/** One type of public event in one version. */
export interface PublicEventType {
  readonly type: PublicPaymentEvent['type'];
  readonly version: number;
  /** When it is published, in a sentence or two. */
  readonly meaning: string;
  readonly fields: Readonly<Record<string, FieldSchema>>;
  /** Fields that events from before these were added do not have. */
  readonly addedFields?: readonly string[];
  readonly example: PublicPaymentEvent;
}

const CREATED: PaymentCreatedV1 = {
  eventId: '6f0c3f3a-52cf-5d0c-9f0e-6f2f3d9c8a11',
  type: 'PaymentCreated',
  schemaVersion: 1,
  paymentId: '2235351801266466090',
  revision: 0,
  occurredAt: '2026-11-21T09:30:00.250000Z',
  createdAt: '2026-11-21T09:30:00.250000Z',
  status: 'pending',
  action: 'pay',
  mode: 'transfer',
  actorUserId: '1852942301724180481',
  targetType: 'user',
  targetUserId: '1852942305918484482',
  amountCents: 1250,
  feeCents: 0,
  audience: 'private',
  medium: 'api',
  appId: 'demo',
  originalPaymentId: null,
};
const END = { ...CREATED, revision: 1 };
const HELD = { action: 'pay', mode: 'hold', targetType: 'email', targetUserId: null } as const;

const created = fieldsOf('PaymentCreated', 'pending');
const settled: Fields<PaymentSettledV1> = {
  ...fieldsOf('PaymentSettled', 'settled'),
  targetUserId: settledTarget,
};
const failed: Fields<PaymentFailedV1> = {
  ...fieldsOf('PaymentFailed', 'failed'),
  reason: reasonOf("`insufficient_funds`: neither the payer's balance nor a funding source covered it.", FAIL_REASONS),
};
const expired: Fields<PaymentExpiredV1> = {
  ...fieldsOf('PaymentExpired', 'expired'),
  refundPaymentId,
};
const cancelled: Fields<PaymentCancelledV1> = {
  ...fieldsOf('PaymentCancelled', 'cancelled'),
  reason: reasonOf(
    '`denied`: who was charged said no. `cancelled_by_actor`: who made it took it back. ' +
      "`claimed_by_payer`: the address of a held pay turned out to be its own payer's.",
    CANCEL_REASONS,
  ),
  refundPaymentId,
};

/**
 * Every public event in every version that was ever released. A released entry only ever grows: a spec compares it
 * with its committed schema.
 */
export const PUBLIC_EVENT_TYPES: readonly PublicEventType[] = [
  {
    type: 'PaymentCreated',
    version: 1,
    meaning:
      'A payment was made. Every payment has exactly one, and it comes first. A pay to a user, a charge to a trusted ' +
      'friend and a refund get their end at once; a held pay and a charge may wait for days.',
    fields: created,
    example: CREATED,
  },
  {
    type: 'PaymentSettled',
    version: 1,
    meaning:
      'The money went from the payer to the payee: a pay went through, a charge was approved, or a held pay was claimed.',
    fields: settled,
    example: {
      ...END,
      type: 'PaymentSettled',
      status: 'settled',
      targetUserId: '1852942305918484482',
      eventId: '0d7f4f0e-0c53-5f0a-8f7b-2b8a1d0f5c22',
      occurredAt: '2026-11-21T09:30:00.250001Z',
    },
  },
  {
    type: 'PaymentFailed',
    version: 1,
    meaning: 'A pay found no funds. Nothing moved.',
    fields: failed,
    example: {
      ...END,
      type: 'PaymentFailed',
      status: 'failed',
      reason: 'insufficient_funds',
      eventId: 'c3b1f6a8-7f52-5f5e-9d40-6f4a5d8e0b33',
      occurredAt: '2026-11-21T09:30:00.250001Z',
    },
  },
  {
    type: 'PaymentExpired',
    version: 1,
    meaning: 'A held pay was not claimed, or a charge was not answered, in time. Held money goes back to the payer.',
    fields: expired,
    example: {
      ...END,
      ...HELD,
      type: 'PaymentExpired',
      status: 'expired',
      refundPaymentId: '2246223440381880184',
      eventId: '9a4f1f5e-3d0b-5a86-8c1d-1b7c9e2f4d44',
      occurredAt: '2026-12-21T09:30:01.000000Z',
    },
  },
  {
    type: 'PaymentCancelled',
    version: 1,
    meaning: 'A charge was denied, or its maker took a payment back before it was settled. What was held goes back.',
    fields: cancelled,
    example: {
      ...END,
      ...HELD,
      type: 'PaymentCancelled',
      status: 'cancelled',
      reason: 'cancelled_by_actor',
      refundPaymentId: '2235366899714622171',
      eventId: '2e8c7d6b-5a49-5382-b716-05f4e3d2c155',
      occurredAt: '2026-11-21T10:30:00.000000Z',
    },
  },
];
