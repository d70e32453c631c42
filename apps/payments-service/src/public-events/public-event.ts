import { CURRENCY, formatIsoDateUs, paymentEvents, type PublicPaymentEvent } from '@settle/contracts';
import type { EventEnvelope } from '@settle/messaging';
import { targetUserIdOf } from '@settle/payments-domain';
import type { PaymentChange } from '../storage/payment-changes.js';
import { readPaymentEvent, timeUsOf } from '../storage/streams.js';
import { buildRecordHeaders } from './record-headers.js';

/**
 * Builds the public event. Every public field is named here: other data of an event, such as its note or an address, is
 * not published.
 */
export function buildPublicEvent({ paymentId, stored, payment }: PaymentChange): PublicPaymentEvent {
  const { facts } = payment;
  const { mode } = facts;
  if (mode === 'scripted') throw new Error(`Payment ${paymentId} is one of the sandbox, which is not published`);
  const event = readPaymentEvent(stored);
  const common = {
    eventId: stored.id,
    type: event.type,
    schemaVersion: 1,
    paymentId,
    revision: stored.revision,
    occurredAt: formatIsoDateUs(event.data.atUs),
    createdAt: formatIsoDateUs(facts.atUs),
    status: payment.status,
    action: facts.action,
    mode,
    actorUserId: facts.actorId,
    targetType: facts.target.type,
    targetUserId: targetUserIdOf(payment),
    amountCents: facts.amountCents,
    feeCents: facts.feeCents,
    currency: CURRENCY,
    audience: facts.audience,
    medium: facts.medium,
    appId: facts.appId,
    originalPaymentId: facts.refundOf,
  } as const;
  switch (event.type) {
    case 'PaymentCreated':
      return { ...common, type: event.type, status: 'pending' };
    case 'PaymentSettled':
      return { ...common, type: event.type, status: 'settled', targetUserId: event.data.targetUserId };
    case 'PaymentFailed':
      return { ...common, type: event.type, status: 'failed', reason: event.data.reason };
    case 'PaymentExpired':
      return { ...common, type: event.type, status: 'expired', refundPaymentId: event.data.refundId };
    case 'PaymentCancelled': {
      const { reason, refundId } = event.data;
      return { ...common, type: event.type, status: 'cancelled', reason, refundPaymentId: refundId };
    }
  }
}

/** Builds the Kafka record of a public event. @param epoch under which the topic is filled */
export function buildPublicRecord(change: PaymentChange, epoch: number): EventEnvelope {
  const { stored, payment } = change;
  const event = buildPublicEvent(change);
  const { commandId, traceparent: ofCommand } = payment.facts;
  const trace = ofCommand ?? traceparent(commandId, event.eventId);
  const headers = buildRecordHeaders({
    ...{ ...event, topic: paymentEvents.topic, key: event.paymentId },
    ...{ position: stored.position, epoch },
  });
  return {
    topic: paymentEvents.topic,
    pattern: paymentEvents.pattern,
    key: event.paymentId,
    payload: event,
    headers: trace === null ? headers : { ...headers, traceparent: trace },
    timestampMs: Math.floor(timeUsOf(stored) / 1_000),
  };
}

const HEX_UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * Returns the W3C `traceparent` of a command that was not traced: the command is the trace, the event is a span in it, and
 * it is not sampled. Null if the command's id is not a UUID.
 */
function traceparent(commandId: string, eventId: string): string | null {
  if (!HEX_UUID.test(commandId)) return null;
  const traceId = commandId.replaceAll('-', '').toLowerCase();
  return `00-${traceId}-${eventId.replaceAll('-', '').slice(0, 16)}-00`;
}
