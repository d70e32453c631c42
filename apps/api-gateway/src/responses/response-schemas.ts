import { DEMO_USERS, ERROR_CATALOGUE, type ErrorCode } from '@settle/contracts';
import { ID_PATTERN } from '../schemas/patterns.js';
import { money, nullable, record, ref, text, type Schema } from '../schemas/schema.js';
import { PAYMENT_SCHEMAS } from './payments.js';
import { USER_SCHEMAS } from './users.js';

export const BALANCE = nullable(
  money('Null when the token lacks `access_balance`. Negative after a chargeback.', 100),
  100,
  null,
);

/** The body of a refusal. @param codes those that can be in it */
export function errorSchema(description: string, codes: readonly ErrorCode[]): Schema {
  const error = {
    message: text('For people: what to do. It may change.'),
    code: { type: 'string', enum: codes, description: 'For programs: it is stable.' },
  };
  return record(description, { error: record('What is wrong.', error) });
}

/** A list's body. @param name of the schema of its entries */
function page(description: string, name: string): Schema {
  const next = nullable(
    { ...text('The address of the next page, without a token; null when there is none.'), format: 'uri' },
    null,
  );
  return record(description, {
    pagination: record('Where the list goes on.', { next }),
    data: { type: 'array', maxItems: 50, items: ref(name) },
  });
}

const errorCodes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

/** The schemas of everything in responses, by name. */
export const RESPONSE_SCHEMAS: Readonly<Record<string, Schema>> = {
  Id: {
    type: 'string',
    pattern: ID_PATTERN,
    description: 'A decimal number of 18 or 19 digits, below 2^63. Compare it as a number, never put it into a double.',
    examples: [DEMO_USERS.bob.id],
  },
  Datetime: {
    type: 'string',
    format: 'date-time',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$',
    description: 'UTC with microseconds.',
    examples: ['2026-01-31T10:00:00.123456Z'],
  },
  ...USER_SCHEMAS,
  ...PAYMENT_SCHEMAS,
  Me: record('Whose token it is.', {
    data: record('The user and what they have.', {
      balance: BALANCE,
      user: ref('User'),
    }),
  }),
  OneUser: record('A user.', { data: ref('User') }),
  FriendsPage: page('A page of friends, ascending by id.', 'Friend'),
  CreatedPayment: record('The payment, and what is left.', {
    data: record('The payment, and what is left.', {
      balance: money(
        "What the actor has after this call, whatever the token's scopes. Negative after a chargeback.",
        87.5,
      ),
      payment: ref('Payment'),
    }),
  }),
  PaymentsPage: page('A page of payments, newest first.', 'ListedPayment'),
  OnePayment: record('A payment.', { data: ref('Payment') }),
  ChangedPayment: record('The payment as it is now.', { data: ref('ListedPayment') }),
  Error: errorSchema('A refusal.', errorCodes),
};
