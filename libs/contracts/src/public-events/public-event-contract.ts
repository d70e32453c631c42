import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  Equals,
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { eventContract, type PayloadClass } from '../message.js';
import { field, message, oneOf } from '../message-fields.js';
import { TOPICS } from '../topics.js';
import type { EventField, EventFields } from './public-event-fields.js';
import { LEDGER_ENTRY_TYPES, type PublicLedgerEntry } from './ledger-entry-table.js';
import {
  LEDGER_ENTRY_PATTERN,
  PUBLIC_EVENT_PATTERN,
  USER_LIFECYCLE_PATTERN,
  WATERMARK_PATTERN,
} from './public-event-headers.js';
import { PUBLIC_EVENT_TYPES, type PublicEventType, type PublicPaymentEvent } from './public-event-table.js';
import { LEDGER_WATERMARK_TYPES, type LedgerWatermark } from './watermark-table.js';
import { USER_LIFECYCLE_TYPES, type PublicUserEvent } from './user-lifecycle-table.js';

/**
 * Returns a function that finds the class of an event. Its class refuses a type that this release does not know, so that
 * consumers skip the event.
 */
function classFinder(types: readonly PublicEventType[]): (event: { readonly type: string }) => PayloadClass {
  const classes = new Map(types.map((eventType) => [eventType.type, payloadClassOf(eventType.fields)]));
  const Unknown = message({ type: oneOf(types.map(({ type }) => type)) });
  return ({ type }) => classes.get(type) ?? Unknown;
}

/**
 * The public events of payments, in order per payment, from the first payment on; keyed by the payment's id. Consumers
 * must expect an event more than once, and new values of its enums.
 */
export const paymentEvents = eventContract<PublicPaymentEvent>(
  TOPICS.paymentsEvents,
  PUBLIC_EVENT_PATTERN,
  classFinder(PUBLIC_EVENT_TYPES),
);

/** Every movement of money, in order per key, from the first one on. Consumers must expect a movement more than once. */
export const ledgerEntries = eventContract<PublicLedgerEntry>(
  TOPICS.ledgerEntries,
  LEDGER_ENTRY_PATTERN,
  classFinder(LEDGER_ENTRY_TYPES),
);

/** Users who joined, were frozen, thawed and closed, in order per user. Consumers must expect an event more than once. */
export const usersLifecycle = eventContract<PublicUserEvent>(
  TOPICS.usersLifecycle,
  USER_LIFECYCLE_PATTERN,
  classFinder(USER_LIFECYCLE_TYPES),
);

/** How far the public topics are filled, once a second. */
export const ledgerWatermarks = eventContract<LedgerWatermark>(
  TOPICS.ledgerWatermarks,
  WATERMARK_PATTERN,
  classFinder(LEDGER_WATERMARK_TYPES),
);

/** Returns a class whose validators accept the events that the JSON Schema of these fields accepts. */
function payloadClassOf(fields: EventFields): PayloadClass {
  return message(
    Object.fromEntries(
      Object.entries(fields).map(([name, each]) => {
        const { items, maxItems } = each;
        return [name, field(...(items === undefined ? validatorsOf(each) : itemValidatorsOf(items, maxItems)))];
      }),
    ),
  );
}

function itemValidatorsOf(items: EventFields, maxItems = 0): PropertyDecorator[] {
  const Item = payloadClassOf(items);
  return [Type(() => Item), ValidateNested({ each: true }), ArrayMaxSize(maxItems), IsArray()];
}

function validatorsOf(described: EventField): PropertyDecorator[] {
  const { type, const: only, anyOf, format, pattern = anyOf?.[1].pattern } = described;
  const { minimum, maximum, minLength, maxLength, addedIn } = described;
  return [
    type === 'integer' ? IsInt() : IsString(),
    ...(typeof type === 'string' && addedIn === undefined ? [] : [IsOptional()]),
    ...(only === undefined ? [] : [Equals(only)]),
    ...(format === 'uuid' ? [IsUUID()] : []),
    ...(pattern === undefined ? [] : [Matches(new RegExp(pattern))]),
    ...(minimum === undefined ? [] : [Min(minimum)]),
    ...(maximum === undefined ? [] : [Max(maximum)]),
    ...(minLength === undefined ? [] : [MinLength(minLength)]),
    ...(maxLength === undefined ? [] : [MaxLength(maxLength)]),
  ];
}
