import { Equals, IsInt, IsOptional, IsString, IsUUID, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import { eventContract, type PayloadClass } from '../message.js';
import { field, message, oneOf } from '../message-fields.js';
import { TOPICS } from '../topics.js';
import type { EventField } from './public-event-fields.js';
import { PUBLIC_EVENT_PATTERN } from './public-event-headers.js';
import { PUBLIC_EVENT_TYPES, type PublicEventType, type PublicPaymentEvent } from './public-event-table.js';

const CLASSES = new Map(PUBLIC_EVENT_TYPES.map((eventType) => [eventType.type, payloadClassOf(eventType)]));

/** Refuses a type that this release does not know, so that consumers skip the event. */
const UnknownPublicEvent = message({ type: oneOf(PUBLIC_EVENT_TYPES.map(({ type }) => type)) });

/**
 * The public events of payments, in order per payment, from the first payment on; keyed by the payment's id. Consumers
 * must expect an event more than once, and new values of its enums.
 */
export const paymentEvents = eventContract<PublicPaymentEvent>(
  TOPICS.paymentsEvents,
  PUBLIC_EVENT_PATTERN,
  ({ type }) => CLASSES.get(type) ?? UnknownPublicEvent,
);

/** Returns a class whose validators accept the events that the JSON Schema of this type accepts. */
function payloadClassOf({ fields }: PublicEventType): PayloadClass {
  return message(
    Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, field(...validatorsOf(each))])),
  );
}

function validatorsOf(described: EventField): PropertyDecorator[] {
  const { type, const: only, anyOf, format, pattern = anyOf?.[1].pattern } = described;
  const { minimum, maximum, minLength, maxLength, isAdded } = described;
  return [
    type === 'integer' ? IsInt() : IsString(),
    ...(typeof type === 'string' && isAdded !== true ? [] : [IsOptional()]),
    ...(only === undefined ? [] : [Equals(only)]),
    ...(format === 'uuid' ? [IsUUID()] : []),
    ...(pattern === undefined ? [] : [Matches(new RegExp(pattern))]),
    ...(minimum === undefined ? [] : [Min(minimum)]),
    ...(maximum === undefined ? [] : [Max(maximum)]),
    ...(minLength === undefined ? [] : [MinLength(minLength)]),
    ...(maxLength === undefined ? [] : [MaxLength(maxLength)]),
  ];
}
