import {
  DEFAULT_PAGE_SIZE,
  MAX_PAGE_SIZE,
  PAYMENT_ACTIONS,
  PAYMENT_STATUSES,
  SettleError,
  type ListFriends,
  type ListPayments,
} from '@settle/contracts';
import { DATE_PATTERN } from '../schemas/patterns.js';
import { ref, type Schema } from '../schemas/schema.js';
import {
  readDateUs,
  readId,
  readIds,
  readLimit,
  readListedAction,
  readOffset,
  readStatuses,
} from './parameter-rules.js';
import { readParameters, type ParameterTable } from './parameter-table.js';
import type { RequestParameters } from './request-parameters.js';

const LIMIT = {
  read: readLimit,
  description: `Entries of a page; more than ${MAX_PAGE_SIZE} counts as ${MAX_PAGE_SIZE}, 0 as absent.`,
  schema: { type: 'integer', minimum: 0, default: DEFAULT_PAGE_SIZE },
} as const;

const DATE: Schema = {
  type: 'string',
  pattern: DATE_PATTERN,
  description:
    'ISO 8601: a day, or a time with or without seconds, fraction, `Z` or offset, year 0001 and later. UTC where no offset is written.',
  examples: ['2026-01-31', '2026-01-31T10:00:00Z'],
};

/** The query of GET /users/:user_id/friends. */
export const FRIENDS_QUERY = {
  limit: LIMIT,
  offset: {
    read: readOffset,
    description: 'Entries to leave out first. The `next` link goes on by `after` instead.',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  after: { read: readId, description: 'Only ids greater than this.', schema: ref('Id') },
  before: { read: readId, description: 'Only ids less than this.', schema: ref('Id') },
} as const satisfies ParameterTable;

/** The query of GET /payments. */
export const PAYMENTS_QUERY = {
  action: {
    read: readListedAction,
    description: 'Only payments of this kind.',
    schema: { type: 'string', enum: PAYMENT_ACTIONS },
  },
  actor: { read: readIds, description: 'Only those made by these users.', schema: ref('Id'), isList: true },
  status: {
    read: readStatuses,
    description: 'Only those with one of these statuses.',
    schema: { type: 'string', enum: PAYMENT_STATUSES },
    isList: true,
  },
  limit: LIMIT,
  after: { read: readDateUs, description: 'Only those made after this.', schema: DATE },
  before: { read: readDateUs, description: 'Only those made before this.', schema: DATE },
  before_id: {
    read: readId,
    description:
      'Of those made exactly at `before`, only ids less than this. Needs `before`: without it 400 `invalid_request`. The `next` link sets both when it is needed.',
    schema: ref('Id'),
  },
} as const satisfies ParameterTable;

/** Reads the query of GET /payments for payments-service. Errors: those of the catalogue with status 400. */
export function readPaymentsQuery(parameters: RequestParameters): Omit<ListPayments, 'viewerId' | 'environment'> {
  const query = readParameters(parameters, PAYMENTS_QUERY);
  // A tie can only be broken at a time that is named.
  if (query.before_id !== null && query.before === null) {
    throw new SettleError('invalid_request', 'before_id needs before: send both as the next link has them.');
  }
  return {
    action: query.action,
    actorIds: query.actor ?? [],
    statuses: query.status ?? [],
    limit: query.limit ?? DEFAULT_PAGE_SIZE,
    afterUs: query.after,
    beforeUs: query.before,
    beforeId: query.before_id,
  };
}

/** Reads the query of GET /users/:user_id/friends for users-service. Errors: `invalid_limit`, `invalid_request`. */
export function readFriendsQuery(parameters: RequestParameters): Omit<ListFriends, 'userId'> {
  const { limit, offset, after, before } = readParameters(parameters, FRIENDS_QUERY);
  return { limit: limit ?? DEFAULT_PAGE_SIZE, offset: offset ?? 0, after, before };
}
