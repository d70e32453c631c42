import 'reflect-metadata';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, Min, ValidateBy } from 'class-validator';
import { IsId, IsPositive } from './field-validators.js';
import { requestContract } from './message.js';
import {
  ENVIRONMENTS,
  type Environment,
  PAYMENT_ACTIONS,
  PAYMENT_STATUSES,
  type PaymentAction,
  type PaymentStatus,
} from './payment-enums.js';
import type { Balance, PaymentView } from './payments.commands.js';
import { TOPICS } from './topics.js';
import { MAX_PAGE_SIZE } from './users.messages.js';
import { FIRST_RECORD_EPOCH, idsOfUsersStateKey } from './users-state.js';

/** More than any URL of the gateway can name. */
const MAX_FILTER_VALUES = 5_000;

/** One payment, for one of its parties. */
export class GetPayment {
  @IsId()
  paymentId: string;

  @IsId()
  viewerId: string;

  @IsIn(ENVIRONMENTS)
  environment: Environment;
}

/** Errors: `resource_not_found`, also for users who are not party to the payment. Keyed by the viewer. */
export const getPayment = requestContract<GetPayment, PaymentView>(TOPICS.paymentsQueries, 'payments.get');

/** A page of the payments of which the viewer is a party, newest first. */
export class ListPayments {
  @IsId()
  viewerId: string;

  @IsIn(ENVIRONMENTS)
  environment: Environment;

  @IsOptional()
  @IsIn(PAYMENT_ACTIONS)
  action: PaymentAction | null;

  /** Empty: any actor. */
  @IsArray()
  @ArrayMaxSize(MAX_FILTER_VALUES)
  @IsId({ each: true })
  actorIds: string[];

  /** Empty: whatever status. */
  @IsArray()
  @ArrayMaxSize(MAX_FILTER_VALUES)
  @IsIn(PAYMENT_STATUSES, { each: true })
  statuses: PaymentStatus[];

  @IsPositive(MAX_PAGE_SIZE)
  limit: number;

  /** Only those made after this, microseconds since 1970. */
  @IsOptional()
  @IsInt()
  afterUs: number | null;

  /** Only those made before this, microseconds since 1970. */
  @IsOptional()
  @IsInt()
  beforeUs: number | null;

  /** Together with `beforeUs`: of those made at exactly that time, only ids less than this. */
  @IsOptional()
  @IsId()
  beforeId: string | null;
}

export interface PaymentsPage {
  /** Newest first by creation, then by id. */
  readonly payments: readonly PaymentView[];
  /** The cursor of the next page; null when there is none. `beforeId` is set when a tie ends the page. */
  readonly next: { readonly beforeUs: number; readonly beforeId: string | null } | null;
}

/** Keyed by the viewer. */
export const listPayments = requestContract<ListPayments, PaymentsPage>(TOPICS.paymentsQueries, 'payments.list');

/** The balance of a user's wallet. */
export class GetBalance {
  @IsId()
  userId: string;

  @IsIn(ENVIRONMENTS)
  environment: Environment;
}

/** Keyed by the user. */
export const getBalance = requestContract<GetBalance, Balance>(TOPICS.paymentsQueries, 'payments.balance');

/** Whether a record of `users.state.v1` is known, in this version or a later one. */
export class UsersKnown {
  /** The record's, as `usersStateKey` makes it. */
  @ValidateBy({
    name: 'isUsersStateKey',
    validator: { validate: (key: unknown) => typeof key === 'string' && idsOfUsersStateKey(key) !== null },
  })
  key: string;

  /** The record's; absent: `FIRST_RECORD_EPOCH`. */
  @IsOptional()
  @IsInt()
  @Min(FIRST_RECORD_EPOCH)
  epoch?: number;

  @IsInt()
  @Min(1)
  version: number;
}

/** The version by which payments are decided from now on. */
export interface KnownVersion {
  readonly version: number;
}

/**
 * Answers once every payment that begins from now on is decided by that version. Error: `outcome_unknown` when it is not
 * known within 2 s; it will be later. Keyed by the record's key.
 */
export const usersKnown = requestContract<UsersKnown, KnownVersion>(TOPICS.paymentsQueries, 'payments.users-known');
