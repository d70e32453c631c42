import {
  AUDIENCES,
  DEFAULT_PAGE_SIZE,
  DEMO_USERS,
  MAX_PAGE_SIZE,
  PAYMENT_ACTIONS,
  PAYMENT_STATUSES,
  REQUEST_ACTIONS,
} from '@settle/contracts';
import { formatCents } from '@settle/payments-domain';
import { DATE_PATTERN, ID_PATTERN, inAnyCase } from './patterns.js';
import { ref, type Schema } from './schema.js';

/** A parameter in the path, query or headers, as OpenAPI writes it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: Schema;
  readonly style?: 'form';
  readonly explode?: false;
  readonly allowEmptyValue?: true;
}

const inPath = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: ref('Id'),
});
const inQuery = (name: string, description: string, schema: Schema): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
  // None of them is required, and an empty one counts as absent.
  allowEmptyValue: true,
});
const commaSeparated = (name: string, description: string, items: Schema): Parameter => ({
  ...inQuery(name, description, { type: 'array', items, minItems: 1 }),
  style: 'form',
  explode: false,
});

const limit = inQuery(
  'limit',
  `Entries of a page; more than ${MAX_PAGE_SIZE} counts as ${MAX_PAGE_SIZE}, 0 as absent.`,
  {
    type: 'integer',
    minimum: 0,
    default: DEFAULT_PAGE_SIZE,
  },
);
const DATE: Schema = {
  type: 'string',
  pattern: DATE_PATTERN,
  description:
    'ISO 8601: a day, or a time with or without seconds, fraction, `Z` or offset, year 0001 and later. UTC where no offset is written.',
  examples: ['2026-01-31', '2026-01-31T10:00:00Z'],
};

export const USER_ID = inPath('user_id', 'Any user.');
export const PAYMENT_ID = inPath('payment', 'A payment of which the user is a party, or the refund of one.');

/** Makes sending a request twice safe. */
export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A request is executed once per key: a repeat within 24 hours gets the first response. A different request with the same key is refused.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

/** The query of GET /users/:user_id/friends. */
export const FRIENDS_QUERY: readonly Parameter[] = [
  limit,
  inQuery('offset', 'Entries to leave out first. The `next` link goes on by `after` instead.', {
    type: 'integer',
    minimum: 0,
    default: 0,
  }),
  inQuery('after', 'Only ids greater than this.', ref('Id')),
  inQuery('before', 'Only ids less than this.', ref('Id')),
];

/** The query of GET /payments. */
export const PAYMENTS_QUERY: readonly Parameter[] = [
  inQuery('action', 'Only payments of this kind.', { type: 'string', enum: PAYMENT_ACTIONS }),
  commaSeparated('actor', 'Only those made by these users.', ref('Id')),
  commaSeparated('status', 'Only those with one of these statuses.', { type: 'string', enum: PAYMENT_STATUSES }),
  limit,
  inQuery('after', 'Only those made after this.', DATE),
  inQuery('before', 'Only those made before this.', DATE),
  inQuery(
    'before_id',
    'Of those made exactly at `before`, only ids less than this. Needs `before`: without it 400 `invalid_request`. The `next` link sets both when it is needed.',
    ref('Id'),
  ),
];

const ACCESS_TOKEN: Schema = {
  type: ['string', 'null'],
  description: 'The access token, when it stands neither in the header nor in the query. Null counts as not sent.',
};

const userIdField = { type: ['string', 'null'], pattern: ID_PATTERN, description: 'The target: a user.' };
const emailField = {
  type: ['string', 'null'],
  description: 'The target: an e-mail address, compared without regard to case.',
};
const phoneField = {
  type: ['string', 'number', 'null'],
  description: 'The target: a US phone number in any spelling, such as `415 555 0101`.',
};

/** The body of POST /payments. @param maxAmountCents the operator's limit */
export function newPaymentSchema(maxAmountCents: number): Schema {
  return {
    type: 'object',
    description: 'A payment or charge to one person.',
    properties: {
      user_id: userIdField,
      email: emailField,
      phone: phoneField,
      note: {
        type: 'string',
        minLength: 1,
        maxLength: 280,
        description: 'Counted in characters after trimming. Neither U+202A to U+202E nor U+2066 to U+2069.',
      },
      amount: {
        type: ['number', 'string'],
        minimum: -maxAmountCents / 100,
        maximum: maxAmountCents / 100,
        multipleOf: 0.01,
        not: { const: 0 },
        pattern: '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$',
        description: `A decimal, negative for a charge. Not zero, at most two fraction digits that are not zero, at most ${formatCents(maxAmountCents)} either way. A JSON number is judged by its text: no exponent. Nothing is rounded.`,
      },
      audience: {
        type: ['string', 'null'],
        pattern: `^(${AUDIENCES.map(inAnyCase).join('|')})?$`,
        examples: [...AUDIENCES],
        description: `One of ${AUDIENCES.join(', ')}, compared without regard to case. Without it, or empty, the actor's own default, which begins as \`private\`.`,
      },
      access_token: ACCESS_TOKEN,
    },
    required: ['note', 'amount'],
    oneOf: Object.entries({ user_id: 'to a user', email: 'to an e-mail address', phone: 'to a phone number' }).map(
      ([name, title]) => ({ title, required: [name], properties: { [name]: { not: { type: 'null' } } } }),
    ),
    examples: [{ user_id: DEMO_USERS.bob.id, note: 'Lunch', amount: '12.50', audience: 'private' }],
  };
}

/** The body of PUT /payments/:payment. */
export const PAYMENT_CHANGE_SCHEMA: Schema = {
  type: 'object',
  description: 'What to do with a pending payment.',
  properties: {
    action: {
      type: 'string',
      enum: REQUEST_ACTIONS,
      description: '`approve` and `deny` are for the target of a charge, `cancel` for the actor.',
    },
    access_token: ACCESS_TOKEN,
  },
  required: ['action'],
  examples: [{ action: 'approve' }],
};
