import {
  DEMO_USERS,
  ERROR_CATALOGUE,
  MEDIUMS,
  PAYMENT_ACTIONS,
  PAYMENT_STATUSES,
  TARGET_TYPES,
  AUDIENCES,
  type ErrorCode,
} from '@settle/contracts';
import { ID_PATTERN } from '../schemas/patterns.js';
import { orNull, record, ref, type Schema } from '../schemas/schema.js';

const { alice, bob } = DEMO_USERS;

export const EXAMPLE_PAYMENT_ID = '2235351801266466090';

const text = (description: string, ...examples: string[]): Schema => ({
  type: 'string',
  description,
  ...(examples.length > 0 && { examples }),
});
const money = (description: string, example: number): Schema => ({
  type: 'number',
  multipleOf: 0.01,
  description,
  examples: [example],
});
const nullable = (schema: Schema, ...examples: unknown[]): Schema => ({
  ...schema,
  type: [schema['type'], 'null'],
  examples,
});
const id = (description: string, example: string): Schema => ({ ...ref('Id'), description, examples: [example] });
const datetime = (description: string): Schema => ({ ...ref('Datetime'), description });

const friendFields = {
  id: id('The user.', alice.id),
  username: text('Unique without regard to case.', alice.username),
  first_name: text('First name.', alice.firstName),
  last_name: text('Last name.', alice.lastName),
  display_name: text('What to call the user.', `${alice.firstName} ${alice.lastName}`),
  about: text('The bio; empty until it is set.', alice.about),
  profile_picture_url: text(
    "The user's own picture, or one with initials.",
    'https://settle.example.com/pictures/AA.svg',
  ),
};

const partyFields = { ...friendFields, date_joined: datetime('When the user joined.') };

const userFields = {
  ...partyFields,
  email: nullable(text('Null when there is none, or the token lacks `access_email`.'), alice.email, null),
  phone: nullable(text('Null when there is none, or the token lacks `access_phone`.'), alice.phone, null),
  is_friend: {
    type: ['boolean', 'null'],
    description: "Whether the caller's user is a friend of this one; null for oneself.",
    examples: [true],
  },
  friends_count: { type: 'integer', minimum: 0, description: 'How many friends the user has.', examples: [1] },
};

const paymentFields = {
  id: id('The payment.', EXAMPLE_PAYMENT_ID),
  status: { type: 'string', enum: PAYMENT_STATUSES, description: 'All but `pending` are final.' },
  action: { type: 'string', enum: PAYMENT_ACTIONS, description: '`pay` sends money, `charge` asks for it.' },
  amount: money('Positive for a pay, negative for a charge.', 12.5),
  note: text('As sent, trimmed.', 'Lunch'),
  audience: {
    type: 'string',
    enum: AUDIENCES,
    description: 'Display only: it gives no other user access to the payment.',
  },
};
const mediumField = { type: 'string', enum: MEDIUMS, description: 'Through what the payment was made.' };
const partiesFields = {
  date_created: datetime('When it was made.'),
  date_completed: orNull(datetime('When it ended; null while it is pending.')),
  actor: { ...ref('Party'), description: 'Who made it.' },
  target: ref('Target'),
};

/** Rules between the fields of every payment. */
const PAYMENT_RULES = [
  {
    if: { properties: { action: { const: 'pay' } } },
    then: { properties: { amount: { exclusiveMinimum: 0 } } },
    else: { properties: { amount: { exclusiveMaximum: 0 } } },
  },
  {
    if: { properties: { status: { const: 'pending' } } },
    then: { properties: { date_completed: { type: 'null' } } },
    else: { properties: { date_completed: { type: 'string' } } },
  },
];

const onlySet = (name: string): Schema => ({
  title: `${name} is set`,
  properties: Object.fromEntries(
    ['user', 'email', 'phone'].map((field) => [field, field === name ? { not: { type: 'null' } } : { type: 'null' }]),
  ),
});

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
    examples: [bob.id],
  },
  Datetime: {
    type: 'string',
    format: 'date-time',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$',
    description: 'UTC with microseconds.',
    examples: ['2026-01-31T10:00:00.123456Z'],
  },
  User: record('A user.', userFields),
  Friend: record('A user in a list of friends.', friendFields),
  Party: record('A user as a party of a payment.', partyFields),
  Target: {
    ...record('To whom the payment went: exactly one of `user`, `email` and `phone` is set.', {
      type: { type: 'string', enum: TARGET_TYPES, description: 'How the actor named the target.' },
      email: nullable(text('The address of the payee, until a user verifies it.'), null),
      phone: nullable(text('The phone number of the payee, until a user verifies it.'), null),
      user: { ...orNull(ref('Party')), description: 'Null until a user verifies the address.' },
    }),
    oneOf: [onlySet('user'), onlySet('email'), onlySet('phone')],
  },
  ListedPayment: {
    ...record('A payment in a list and after PUT: without `medium`, `fee` and `refund`.', {
      ...paymentFields,
      ...partiesFields,
    }),
    allOf: PAYMENT_RULES,
  },
  Payment: {
    ...record('A payment.', {
      ...paymentFields,
      medium: mediumField,
      ...partiesFields,
      fee: nullable(money('What the payer pays on top of the amount; null when there is no fee.', 0.31), null),
      refund: { ...orNull(ref('Payment')), description: 'The payment by which a held pay went back to its payer.' },
    }),
    allOf: PAYMENT_RULES,
  },
  Me: record('Whose token it is.', {
    data: record('The user and what they have.', {
      balance: nullable(money('Null when the token lacks `access_balance`.', 100), 100, null),
      user: ref('User'),
    }),
  }),
  OneUser: record('A user.', { data: ref('User') }),
  FriendsPage: page('A page of friends, ascending by id.', 'Friend'),
  CreatedPayment: record('The payment, and what is left.', {
    data: record('The payment, and what is left.', {
      balance: money("What the actor has after this call, whatever the token's scopes.", 87.5),
      payment: ref('Payment'),
    }),
  }),
  PaymentsPage: page('A page of payments, newest first.', 'ListedPayment'),
  OnePayment: record('A payment.', { data: ref('Payment') }),
  ChangedPayment: record('The payment as it is now.', { data: ref('ListedPayment') }),
  Error: errorSchema('A refusal.', errorCodes),
};
