import {
  REFUND_PAYMENT_ID,
  SETTLED_TARGET,
  fieldsOf,
  reasonField,
  type EventFields,
  type EventWith,
  type ExampleValue,
} from './public-event-fields.js';

/** One type of public event in one version. */
export interface PublicEventType<Fields extends EventFields = EventFields> {
  readonly type: string;
  readonly version: number;
  /** When it is published, in a sentence or two. */
  readonly meaning: string;
  readonly fields: Fields;
  readonly example: Readonly<Record<string, ExampleValue>>;
}

/** @param example what differs in it from the first examples of the fields */
function version1<const Type extends string, const Status extends string, const Own extends EventFields>(
  [type, status]: readonly [Type, Status],
  meaning: string,
  own: Own,
  example: PublicEventType['example'],
) {
  const common = fieldsOf(type, status);
  const fields = { ...common, ...own } as Omit<typeof common, keyof Own> & Own;
  const examples = Object.entries<EventFields[string]>(fields).map(([name, field]) => [name, field.examples[0]]);
  return { type, version: 1, meaning, fields, example: { ...Object.fromEntries(examples), ...example } } as const;
}

const HELD = { mode: 'hold', targetType: 'email', targetUserId: null } as const;

/**
 * Every public event in every version that was ever released. A released entry only ever grows: a spec compares it
 * with its committed schema.
 */
const EVENTS = [
  version1(
    ['PaymentCreated', 'pending'],
    'A payment was made. Every payment has exactly one, and it comes first. A pay to a user, a charge to a trusted ' +
      'friend and a refund get their end at once; a held pay and a charge may wait for days.',
    {},
    {},
  ),
  version1(
    ['PaymentSettled', 'settled'],
    'The money went from the payer to the payee: a pay went through, a charge was approved, or a held pay was claimed.',
    { targetUserId: SETTLED_TARGET },
    {
      revision: 1,
      eventId: '0d7f4f0e-0c53-5f0a-8f7b-2b8a1d0f5c22',
      occurredAt: '2026-11-21T09:30:00.250001Z',
    },
  ),
  version1(
    ['PaymentFailed', 'failed'],
    'A pay found no funds. Nothing moved.',
    {
      reason: reasonField(
        "`insufficient_funds`: neither the payer's balance nor a funding source covered it. `funding_declined`: the " +
          "payer's funding source declined the charge. `funding_cancelled`: the charge was cancelled before it brought money.",
        ['insufficient_funds', 'funding_declined', 'funding_cancelled'],
      ),
    },
    {
      revision: 1,
      eventId: 'c3b1f6a8-7f52-5f5e-9d40-6f4a5d8e0b33',
      occurredAt: '2026-11-21T09:30:00.250001Z',
    },
  ),
  version1(
    ['PaymentExpired', 'expired'],
    'A held pay was not claimed, or a charge was not answered, in time. Held money goes back to the payer.',
    { refundPaymentId: REFUND_PAYMENT_ID },
    {
      ...HELD,
      revision: 1,
      refundPaymentId: '2246223440381880184',
      eventId: '9a4f1f5e-3d0b-5a86-8c1d-1b7c9e2f4d44',
      occurredAt: '2026-12-21T09:30:01.000000Z',
    },
  ),
  version1(
    ['PaymentCancelled', 'cancelled'],
    'A charge was denied, or its maker took a payment back before it was settled. What was held goes back.',
    {
      reason: reasonField(
        '`denied`: who was charged said no. `cancelled_by_actor`: who made it took it back. ' +
          "`claimed_by_payer`: the address of a held pay turned out to be its own payer's.",
        ['denied', 'cancelled_by_actor', 'claimed_by_payer'],
      ),
      refundPaymentId: REFUND_PAYMENT_ID,
    },
    {
      ...HELD,
      revision: 1,
      reason: 'cancelled_by_actor',
      eventId: '2e8c7d6b-5a49-5382-b716-05f4e3d2c155',
      occurredAt: '2026-11-21T10:30:00.000000Z',
    },
  ),
] as const;

/** A record of `payments.events.v1`. */
export type PublicPaymentEvent = EventWith<(typeof EVENTS)[number]['fields']>;

export const PUBLIC_EVENT_TYPES: readonly PublicEventType[] = EVENTS;
