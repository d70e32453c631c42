import { IsIn } from 'class-validator';
import { requestContract } from './message.js';
import {
  atLeast,
  field,
  id,
  idRule,
  integer,
  list,
  message,
  nullable,
  oneOf,
  optional,
  positive,
  textRule,
} from './message-fields.js';
import { ENVIRONMENTS, PAYMENT_ACTIONS, PAYMENT_STATUSES, type PaymentStatus } from './payment-enums.js';
import type { PaymentView } from './payments.commands.js';
import { TOPICS } from './topics.js';
import { MAX_PAGE_SIZE } from './users.messages.js';
import { FIRST_RECORD_EPOCH, idsOfUsersStateKey } from './users-state.js';

/** More than any URL of the gateway can name. */
const MAX_FILTER_VALUES = 5_000;

/** One payment, for one of its parties. */
export class GetPayment extends message({
  paymentId: id,
  viewerId: id,
  environment: oneOf(ENVIRONMENTS),
}) {}

/** Errors: `resource_not_found`, also for users who are not party to the payment. Keyed by the viewer. */
export const getPayment = requestContract<GetPayment, PaymentView>(TOPICS.paymentsQueries, 'payments.get');

/** A page of the payments of which the viewer is a party, newest first. */
export class ListPayments extends message({
  viewerId: id,
  environment: oneOf(ENVIRONMENTS),
  action: nullable(oneOf(PAYMENT_ACTIONS)),
  /** Empty: any actor. */
  actorIds: list<string>(MAX_FILTER_VALUES, idRule({ each: true })),
  /** Empty: whatever status. */
  statuses: list<PaymentStatus>(MAX_FILTER_VALUES, IsIn(PAYMENT_STATUSES, { each: true })),
  limit: positive(MAX_PAGE_SIZE),
  /** Only those made after this, microseconds since 1970. */
  afterUs: nullable(integer),
  /** Only those made before this, microseconds since 1970. */
  beforeUs: nullable(integer),
  /** Together with `beforeUs`: of those made at exactly that time, only ids less than this. */
  beforeId: nullable(id),
}) {}

export interface PaymentsPage {
  /** Newest first by creation, then by id. */
  readonly payments: readonly PaymentView[];
  /** The cursor of the next page; null when there is none. `beforeId` is set when a tie ends the page. */
  readonly next: { readonly beforeUs: number; readonly beforeId: string | null } | null;
}

/** Keyed by the viewer. */
export const listPayments = requestContract<ListPayments, PaymentsPage>(TOPICS.paymentsQueries, 'payments.list');

/** The balance of a user's wallet. */
export class GetBalance extends message({
  userId: id,
  environment: oneOf(ENVIRONMENTS),
}) {}

export interface Balance {
  readonly balanceCents: number;
}

/** Keyed by the user. */
export const getBalance = requestContract<GetBalance, Balance>(TOPICS.paymentsQueries, 'payments.balance');

/** Whether a record of `users.state.v1` is known, in this version or a later one. */
export class UsersKnown extends message({
  /** The record's, as `usersStateKey` makes it. */
  key: field<string>(
    textRule('isUsersStateKey', (key) => idsOfUsersStateKey(key) !== null, 'must be the key of a record'),
  ),
  /** The record's; absent: `FIRST_RECORD_EPOCH`. */
  epoch: optional(atLeast(FIRST_RECORD_EPOCH)),
  version: atLeast(1),
}) {}

/** The version by which payments are decided from now on. */
export interface KnownVersion {
  readonly version: number;
}

/**
 * Answers once every payment that begins from now on is decided by that version. Error: `outcome_unknown` when it is not
 * known within 2 s; it will be later. Keyed by the record's key.
 */
export const usersKnown = requestContract<UsersKnown, KnownVersion>(TOPICS.paymentsQueries, 'payments.users-known');
