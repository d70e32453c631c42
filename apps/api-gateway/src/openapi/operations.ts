import { ACCESS, REQUEST_ACTIONS, capitalize, enumerate, type ErrorCode, type Scope } from '@settle/contracts';
import { FRIENDS_QUERY, PAYMENTS_QUERY } from '../parameters/list-queries.js';
import type { Schema } from '../schemas/schema.js';
import { REFUSALS_OF_ANY_ADDRESS, TOKEN_REFUSALS } from './refusals.js';
import { IDEMPOTENCY_KEY, PAYMENT_ID, USER_ID, queryOf, type requestSchemas } from './request-schemas.js';

/** One call of the interface, as a row that the document is made from. */
export interface Operation {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put';
  /** Below the base address. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** A token needs any one of them. */
  readonly scopes: readonly Scope[];
  readonly parameters?: readonly Schema[];
  /** The schema of the body, where there is one. */
  readonly body?: keyof ReturnType<typeof requestSchemas>;
  /** The schema of the response. */
  readonly response: string;
  /** Beside those that every call can meet. */
  readonly refusals?: readonly ErrorCode[];
}

/** Errors of every operation. */
export const REFUSALS_OF_ALL: readonly ErrorCode[] = [
  ...REFUSALS_OF_ANY_ADDRESS,
  ...TOKEN_REFUSALS,
  'insufficient_scope',
  'account_frozen',
];

/** Errors of both commands on payments. */
const REFUSALS_OF_COMMANDS: readonly ErrorCode[] = [
  'missing_parameter',
  'cannot_pay_self',
  'not_permitted',
  'merchant_payments_not_allowed',
  'resource_not_found',
  'idempotency_in_progress',
  'unsupported_media_type',
  'idempotency_key_reused',
  'outcome_unknown',
];

export const OPERATIONS: readonly Operation[] = [
  {
    id: 'getMe',
    method: 'get',
    path: '/me',
    summary: 'Whose token this is, and the balance',
    description: '`balance` needs `access_balance`, `email` and `phone` need their scopes: without them they are null.',
    scopes: ACCESS.readMe.anyOf,
    response: 'Me',
  },
  {
    id: 'getUser',
    method: 'get',
    path: '/users/{user_id}',
    summary: 'One user',
    description:
      'Returns any user; in the sandbox the user of the token, friends and the test user alone. A malformed id is treated as unknown.',
    scopes: ACCESS.readUser.anyOf,
    parameters: [USER_ID],
    response: 'OneUser',
    refusals: ['resource_not_found'],
  },
  {
    id: 'listFriends',
    method: 'get',
    path: '/users/{user_id}/friends',
    summary: "A user's friends",
    description: 'Ascending by id. The list of any user may be read, of those that `getUser` returns.',
    scopes: ACCESS.listFriends.anyOf,
    parameters: [USER_ID, ...queryOf(FRIENDS_QUERY)],
    response: 'FriendsPage',
    refusals: ['invalid_limit', 'resource_not_found'],
  },
  {
    id: 'createPayment',
    method: 'post',
    path: '/payments',
    summary: 'Pay or charge a user',
    description:
      'A pay that cannot be funded is a payment as well: 200 with status `failed`. The parameters may also stand in the query.',
    scopes: ACCESS.createPayment.anyOf,
    parameters: [IDEMPOTENCY_KEY],
    body: 'NewPayment',
    response: 'CreatedPayment',
    refusals: [
      ...REFUSALS_OF_COMMANDS,
      'invalid_target',
      'invalid_email',
      'invalid_phone',
      'invalid_note',
      'invalid_amount',
      'invalid_audience',
      'sandbox_amount_unknown',
    ],
  },
  {
    id: 'listPayments',
    method: 'get',
    path: '/payments',
    summary: "The user's payments and charges",
    description: 'Those of which the user is actor or target, newest first. Refund payments are not listed.',
    scopes: ACCESS.listPayments.anyOf,
    parameters: queryOf(PAYMENTS_QUERY),
    response: 'PaymentsPage',
    refusals: ['invalid_action', 'invalid_status', 'invalid_limit', 'invalid_date'],
  },
  {
    id: 'getPayment',
    method: 'get',
    path: '/payments/{payment}',
    summary: 'One payment or charge',
    description: 'Visible to the payer and the payee. Other users get `resource_not_found`.',
    scopes: ACCESS.readPayment.anyOf,
    parameters: [PAYMENT_ID],
    response: 'OnePayment',
    refusals: ['resource_not_found'],
  },
  {
    id: 'changePayment',
    method: 'put',
    path: '/payments/{payment}',
    summary: `${capitalize(enumerate(REQUEST_ACTIONS, 'or'))} a pending payment`,
    description:
      'The same action again by the same person, after it took effect, is answered 200 with the same result. The parameter may also stand in the query.',
    scopes: ACCESS.actOnPayment.anyOf,
    parameters: [PAYMENT_ID, IDEMPOTENCY_KEY],
    body: 'PaymentChange',
    response: 'ChangedPayment',
    refusals: [...REFUSALS_OF_COMMANDS, 'invalid_action', 'insufficient_funds', 'payment_not_pending'],
  },
];
