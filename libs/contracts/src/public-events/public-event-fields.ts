import { CURRENCY } from '../format-dollars.js';
import { MEDIUMS, PAYMENT_ACTIONS, TARGET_TYPES } from '../payment-enums.js';
import { AUDIENCES } from '../users-state.js';

/** A value in an example. */
export type ExampleValue = string | number | null | readonly Readonly<Record<string, string | number | null>>[];

/** One field of a public event, in the words of JSON Schema. */
export interface FieldSchema {
  readonly description: string;
  readonly type: 'string' | 'integer' | 'array' | readonly ['string', 'null'];
  readonly const?: string | number;
  /** The values of today, and the form of every value of tomorrow: a version's enums may grow. */
  readonly anyOf?: readonly [{ readonly enum: readonly string[] }, { readonly pattern: string }];
  readonly format?: 'uuid' | 'date-time';
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** The first one is also that of the event's example. */
  readonly examples: readonly [ExampleValue, ...ExampleValue[]];
  readonly maxItems?: number;
  /** The elements of an array. */
  readonly items?: ObjectSchema;
}

/** An object of a public event, in the words of JSON Schema. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
  /** True: a version may get fields that a reader of today does not know. */
  readonly additionalProperties: boolean;
}

/**
 * `pseudonym`: an id that names a user, whom only the product knows. `fact`: says something about the user or payment that
 * the record names. `technical`: about the record, says nothing about a user.
 */
export type Privacy = 'pseudonym' | 'fact' | 'technical';

/** A field with what its catalogue says. */
export interface EventField extends Omit<FieldSchema, 'items'> {
  /** Release that added the field to its version: events from before lack it. Absent: every event has it. */
  readonly addedIn?: string;
  readonly unit?: string;
  /** Absent: a fact. */
  readonly privacy?: Privacy;
  /** Fields of the items of an array. */
  readonly items?: EventFields;
}

export type EventFields = Readonly<Record<string, EventField>>;

type ValueOf<Field> = Field extends { readonly const: infer Value }
  ? Value
  : Field extends { readonly anyOf: readonly [{ readonly enum: readonly (infer Value)[] }, unknown] }
    ? Value
    : Field extends { readonly type: 'array'; readonly items: infer Items }
      ? readonly EventWith<Items>[]
      : Field extends { readonly type: 'integer' }
        ? number
        : Field extends { readonly type: 'string' }
          ? string
          : string | null;

/** The event that has these fields. */
export type EventWith<Fields> = Fields extends EventFields
  ? { readonly [Name in keyof Fields]: ValueOf<Fields[Name]> }
  : never;

/** A string that has these values today and may get others of the same form within the version. */
export const openEnum = <const Values extends readonly string[]>(values: Values) =>
  ({ type: 'string', anyOf: [{ enum: values }, { pattern: '^[a-z][a-z_]{0,63}$' }] }) as const;

export const ID = { type: 'string', pattern: '^[1-9][0-9]{17,18}$' } as const;
export const USER_ID = { ...ID, privacy: 'pseudonym' } as const;
export const ID_OR_NULL = { ...ID, type: ['string', 'null'] } as const;
export const TIME = {
  type: 'string',
  format: 'date-time',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$',
  unit: 'UTC, to the microsecond',
} as const;
export const CENTS = { type: 'integer', maximum: Number.MAX_SAFE_INTEGER, unit: 'cents' } as const;
export const POSITION = {
  type: 'integer',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  unit: 'log position',
  privacy: 'technical',
} as const;

export const REVISION = { type: 'integer', minimum: 0, privacy: 'technical' } as const;

/** The field that names the type of a record. */
export const typeField = <const Type extends string>(type: Type) =>
  ({ description: 'What happened.', type: 'string', const: type, examples: [type] }) as const;

export const EVENT_ID = {
  description: 'The same whenever this event is delivered again: drop what you have seen.',
  type: 'string',
  format: 'uuid',
  privacy: 'technical',
  examples: ['6f0c3f3a-52cf-5d0c-9f0e-6f2f3d9c8a11'],
} as const satisfies EventField;

export const SCHEMA_VERSION_1 = {
  description: 'The version of this schema.',
  type: 'integer',
  const: 1,
  privacy: 'technical',
  examples: [1],
} as const satisfies EventField;

export const CURRENCY_FIELD = {
  description: 'The currency of the amounts, as ISO 4217 names it: always `USD` today.',
  type: 'string',
  pattern: '^[A-Z]{3}$',
  unit: 'ISO 4217',
  examples: [CURRENCY],
} as const satisfies EventField;

/** Why a payment ended without being settled. */
export const reasonField = <const Reasons extends readonly [string, ...string[]]>(
  description: string,
  reasons: Reasons,
) => ({ description, ...openEnum(reasons), examples: [reasons[0]] }) as const satisfies EventField;

/** The user of the target, once it is final. */
export const SETTLED_TARGET = {
  ...USER_ID,
  description: 'Who was paid, or who paid the charge. For a held pay: who claimed it.',
  examples: ['1852942305918484482'],
} as const satisfies EventField;

export const REFUND_PAYMENT_ID = {
  ...ID_OR_NULL,
  description: 'The refund payment by which a held pay went back to its payer; null when nothing was held.',
  examples: ['2235366899714622171', null],
} as const satisfies EventField;

/** The fields that are fixed at the creation of the payment, except its time; only the user of the target may follow later. */
const FACTS = {
  action: {
    description: '`pay`: the actor sends money. `charge`: the actor asks for it.',
    ...openEnum(PAYMENT_ACTIONS),
    examples: ['pay', 'charge'],
  },
  mode: {
    description:
      'How the money moves. `transfer`: a pay to a user. `hold`: a pay to an address that no user had verified; it waits ' +
      'to be claimed. `request`: a charge. `trusted`: a charge to a friend who settles such charges at once. ' +
      '`refund`: a held pay that goes back to its payer.',
    ...openEnum(['transfer', 'hold', 'request', 'trusted', 'refund']),
    examples: ['transfer', 'hold'],
  },
  actorUserId: { ...USER_ID, description: 'Who made the payment.', examples: ['1852942301724180481'] },
  targetType: {
    description: 'How the target was named. The address itself is never told.',
    ...openEnum(TARGET_TYPES),
    examples: ['user', 'email'],
  },
  targetUserId: {
    ...ID_OR_NULL,
    privacy: 'pseudonym',
    description: 'The user on the other side, as far as known; null for an address that no user has claimed.',
    examples: ['1852942305918484482', null],
  },
  amountCents: { ...CENTS, minimum: 1, description: 'What the payee gets, in US cents.', examples: [1250] },
  feeCents: {
    ...CENTS,
    minimum: 0,
    description: 'What the payer pays on top, in US cents; fixed when the payment was made.',
    examples: [0, 31],
  },
  currency: { ...CURRENCY_FIELD, addedIn: '0.2.0' },
  audience: { description: 'Who may see the payment.', ...openEnum(AUDIENCES), examples: ['private'] },
  medium: { description: 'Through what kind of app it was made.', ...openEnum(MEDIUMS), examples: ['api'] },
  appId: {
    description: 'The app that made it.',
    type: 'string',
    minLength: 1,
    maxLength: 64,
    examples: ['demo'],
  },
  originalPaymentId: {
    ...ID_OR_NULL,
    description: 'For a refund: the held pay that it gives back; otherwise null.',
    examples: [null, '2235351801266466090'],
  },
} as const satisfies EventFields;

/**
 * Returns the fields that every event of version 1 has, in their order: ids, cents, status and times, and never a note, an
 * e-mail address or a phone number.
 * @param status of the payment after an event of this type
 */
export const fieldsOf = <const Type extends string, const Status extends string>(type: Type, status: Status) =>
  ({
    eventId: EVENT_ID,
    type: typeField(type),
    schemaVersion: SCHEMA_VERSION_1,
    paymentId: { ...ID, description: 'The payment; also the key of the record.', examples: ['2235351801266466090'] },
    revision: {
      description: "The event's place among those of its payment, from 0, without gaps.",
      ...REVISION,
      examples: [0, 1],
    },
    occurredAt: {
      ...TIME,
      description: 'When it happened, in UTC, to the microsecond.',
      examples: ['2026-11-21T09:30:00.250000Z'],
    },
    createdAt: {
      ...TIME,
      description: 'When the payment was made, in UTC, to the microsecond.',
      examples: ['2026-11-21T09:30:00.250000Z'],
    },
    status: {
      description: 'What the payment is after this event.',
      type: 'string',
      const: status,
      examples: [status],
    },
    ...FACTS,
  }) as const satisfies EventFields;
