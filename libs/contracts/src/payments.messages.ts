import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { IsId } from './is-id.js';
import { requestContract } from './message.js';
import {
  AUDIENCES,
  ENVIRONMENTS,
  type Environment,
  MEDIUMS,
  type Medium,
  PAYMENT_ACTIONS,
  PAYMENT_STATUSES,
  type PaymentAction,
  type PaymentStatus,
  type PaymentView,
  REQUEST_ACTIONS,
  type RequestAction,
  TARGET_TYPES,
  type TargetType,
} from './payment-view.js';
import { TOPICS } from './topics.js';
import { MAX_PAGE_SIZE } from './users.messages.js';
import type { Audience } from './users-state.js';

/** No amount that the ledger can hold exactly is larger; the gateway's own limit is far below. */
const MAX_CENTS = Number.MAX_SAFE_INTEGER;

/** More than any URL of the gateway can name. */
const MAX_FILTER_VALUES = 5_000;

export class PaymentTarget {
  @IsIn(TARGET_TYPES)
  type: TargetType;

  /** A user id, or an address as its sender spelt it (an e-mail trimmed, a phone in E.164). */
  @IsString()
  @Length(1, 320)
  value: string;
}

export class CreatePayment {
  @IsUUID()
  commandId: string;

  @IsId()
  paymentId: string;

  @IsString()
  @Length(1, 64)
  appId: string;

  @IsId()
  actorId: string;

  // Validating what is nested passes over what is absent.
  @IsObject()
  @ValidateNested()
  @Type(() => PaymentTarget)
  target: PaymentTarget;

  @IsIn(PAYMENT_ACTIONS)
  action: PaymentAction;

  /** Always positive; `action` says which way it moves. */
  @IsInt()
  @Min(1)
  @Max(MAX_CENTS)
  amountCents: number;

  @IsString()
  @Length(1, 1120)
  note: string;

  /** Null: the actor's own default. */
  @IsOptional()
  @IsIn(AUDIENCES)
  audience: Audience | null;

  @IsIn(MEDIUMS)
  medium: Medium;

  @IsIn(ENVIRONMENTS)
  environment: Environment;

  /** The command is dropped if it has not begun by then: milliseconds since 1970. */
  @IsInt()
  beginBeforeMs: number;
}

export interface CreatedPayment {
  readonly payment: PaymentView;
  /** The actor's balance once the payment is where `payment.status` says. */
  readonly balanceCents: number;
}

/**
 * Pays or charges. Keyed by the actor. Errors: `resource_not_found`, `cannot_pay_self`, `account_frozen`,
 * `not_permitted`, `merchant_payments_not_allowed`, `service_unavailable`, `outcome_unknown`.
 */
export const createPayment = requestContract<CreatePayment, CreatedPayment>(TOPICS.paymentsCommands, 'payments.create');

export class ActOnPayment {
  @IsUUID()
  commandId: string;

  @IsId()
  paymentId: string;

  @IsIn(REQUEST_ACTIONS)
  action: RequestAction;

  @IsId()
  actorId: string;

  @IsString()
  @Length(1, 64)
  appId: string;

  @IsIn(ENVIRONMENTS)
  environment: Environment;

  /** The command is dropped if it has not begun by then: milliseconds since 1970. */
  @IsInt()
  beginBeforeMs: number;
}

/**
 * Approves, denies or cancels. Keyed by who acts. Errors: `resource_not_found`, `not_permitted`, `account_frozen`,
 * `payment_not_pending`, `insufficient_funds`, `service_unavailable`, `outcome_unknown`.
 */
export const actOnPayment = requestContract<ActOnPayment, PaymentView>(TOPICS.paymentsCommands, 'payments.act');

/** Puts money from a funding source into a wallet. Development data only: see `DEV_TOOLS`. */
export class AddFunds {
  @IsUUID()
  commandId: string;

  @IsId()
  userId: string;

  @IsInt()
  @Min(1)
  @Max(MAX_CENTS)
  amountCents: number;
}

export interface Balance {
  readonly balanceCents: number;
}

/** Done once per command id. Keyed by the user. Errors: `not_permitted` when development tools are off. */
export const addFunds = requestContract<AddFunds, Balance>(TOPICS.paymentsCommands, 'payments.add-funds');

export class GetPayment {
  @IsId()
  paymentId: string;

  @IsId()
  viewerId: string;

  @IsIn(ENVIRONMENTS)
  environment: Environment;
}

/** Errors: `resource_not_found`, also for whoever is no party. Keyed by the viewer. */
export const getPayment = requestContract<GetPayment, PaymentView>(TOPICS.paymentsQueries, 'payments.get');

export class ListPayments {
  @IsId()
  viewerId: string;

  @IsIn(ENVIRONMENTS)
  environment: Environment;

  @IsOptional()
  @IsIn(PAYMENT_ACTIONS)
  action: PaymentAction | null;

  /** Empty: whoever began it. */
  @IsArray()
  @ArrayMaxSize(MAX_FILTER_VALUES)
  @IsId({ each: true })
  actorIds: string[];

  /** Empty: whatever status. */
  @IsArray()
  @ArrayMaxSize(MAX_FILTER_VALUES)
  @IsIn(PAYMENT_STATUSES, { each: true })
  statuses: PaymentStatus[];

  @IsInt()
  @Min(1)
  @Max(MAX_PAGE_SIZE)
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

export class GetBalance {
  @IsId()
  userId: string;

  @IsIn(ENVIRONMENTS)
  environment: Environment;
}

/** Keyed by the user. */
export const getBalance = requestContract<GetBalance, Balance>(TOPICS.paymentsQueries, 'payments.balance');
