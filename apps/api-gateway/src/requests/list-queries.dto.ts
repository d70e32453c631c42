import { DEFAULT_PAGE_SIZE, SettleError, type ListFriends, type ListPayments } from '@settle/contracts';
import { IsOptional } from 'class-validator';
import {
  isAbsent,
  readDateUs,
  readId,
  readIds,
  readLimit,
  readListedAction,
  readOffset,
  readStatuses,
  type ParameterRule,
} from './parameter-rules.js';
import { Follows, Refuses, checked } from './parameter-validation.js';
import type { RequestParameters } from './request-parameters.js';

/** A tie can only be broken at a time that is named. */
function beforeIdAlone(value: unknown, _name: string, dto: object): SettleError | null {
  const isAlone = !isAbsent(value) && isAbsent((dto as PaymentsQuery).before);
  return isAlone
    ? new SettleError('invalid_request', 'before_id needs before: send both as the next link has them.')
    : null;
}

/** The query of GET /payments. */
export class PaymentsQuery {
  @IsOptional()
  @Follows('invalid_action', readListedAction)
  action?: unknown;

  @IsOptional()
  @Follows('invalid_request', readIds)
  actor?: unknown;

  @IsOptional()
  @Follows('invalid_status', readStatuses)
  status?: unknown;

  @IsOptional()
  @Follows('invalid_limit', readLimit)
  limit?: unknown;

  @IsOptional()
  @Follows('invalid_date', readDateUs)
  after?: unknown;

  @IsOptional()
  @Follows('invalid_date', readDateUs)
  before?: unknown;

  @IsOptional()
  @Refuses('invalid_request', (...args) => beforeIdAlone(...args))
  @Follows('invalid_request', readId)
  before_id?: unknown;
}

/** The query of GET /users/:user_id/friends. */
export class FriendsQuery {
  @IsOptional()
  @Follows('invalid_limit', readLimit)
  limit?: unknown;

  @IsOptional()
  @Follows('invalid_request', readOffset)
  offset?: unknown;

  @IsOptional()
  @Follows('invalid_request', readId)
  after?: unknown;

  @IsOptional()
  @Follows('invalid_request', readId)
  before?: unknown;
}

/** The query of GET /payments for payments-service, without its viewer. Errors: those of the catalogue with status 400. */
export function readPaymentsQuery(parameters: RequestParameters): Omit<ListPayments, 'viewerId' | 'environment'> {
  const query = checked(new PaymentsQuery(), parameters);
  return {
    action: optional(readListedAction, query.action, 'action'),
    actorIds: optional(readIds, query.actor, 'actor') ?? [],
    statuses: optional(readStatuses, query.status, 'status') ?? [],
    limit: optional(readLimit, query.limit, 'limit') ?? DEFAULT_PAGE_SIZE,
    afterUs: optional(readDateUs, query.after, 'after'),
    beforeUs: optional(readDateUs, query.before, 'before'),
    beforeId: optional(readId, query.before_id, 'before_id'),
  };
}

/** Returns the users-service query of GET /users/:user_id/friends. Errors: `invalid_limit`, `invalid_request`. */
export function readFriendsQuery(parameters: RequestParameters): Omit<ListFriends, 'userId'> {
  const query = checked(new FriendsQuery(), parameters);
  return {
    limit: optional(readLimit, query.limit, 'limit') ?? DEFAULT_PAGE_SIZE,
    offset: optional(readOffset, query.offset, 'offset') ?? 0,
    after: optional(readId, query.after, 'after'),
    before: optional(readId, query.before, 'before'),
  };
}

function optional<Value>(rule: ParameterRule<Value>, value: unknown, name: string): Value | null {
  return isAbsent(value) ? null : rule(value, name);
}
