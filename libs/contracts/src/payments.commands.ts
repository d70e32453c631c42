import { IsNotEmpty, Matches } from 'class-validator';
import { requestContract } from './message.js';
import {
  field,
  id,
  integer,
  line,
  maxLengthRule,
  message,
  nested,
  nullable,
  oneOf,
  optional,
  plainTextRule,
  positive,
  uuid,
} from './message-fields.js';
import {
  ENVIRONMENTS,
  MEDIUMS,
  PAYMENT_ACTIONS,
  type PaymentStatus,
  REQUEST_ACTIONS,
  TARGET_TYPES,
  type TargetType,
} from './payment-enums.js';
import { TOPICS } from './topics.js';
import { AUDIENCES, type Audience, type UserCard } from './users-state.js';

/** No amount that the ledger can hold exactly is larger; the gateway's own limit is far below. */
const MAX_CENTS = Number.MAX_SAFE_INTEGER;

/** 280 code points of two UTF-16 units each, with room for what trimming and line ends took away. */
const MAX_NOTE_UNITS = 1_120;

/** The target of a payment as its actor named it. */
export class PaymentTarget extends message({
  type: oneOf(TARGET_TYPES),
  /** A user id, or an address as its sender spelt it (an e-mail trimmed, a phone in E.164). */
  value: line(320),
}) {}

/** Visible ASCII, as a header can carry it. */
export const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;
/** SHA-256 in lower-case hexadecimal. */
const REQUEST_HASH = /^[0-9a-f]{64}$/;

/** Identifies a caller's request, however often it is sent. */
export class Idempotency extends message({
  /** The caller's own name for the request. */
  key: field<string>(Matches(IDEMPOTENCY_KEY)),
  /** Tells two requests under one key apart. */
  requestHash: field<string>(Matches(REQUEST_HASH)),
}) {}

/** A field of the response to a request with an `Idempotency`. */
export interface MaybeReplayed {
  /** It was given before, to an earlier request that was the same. */
  readonly isReplayed?: boolean;
}

/** The fields of every command of a user on a payment. */
const COMMAND_FIELDS = {
  commandId: uuid,
  paymentId: id,
  appId: line(64),
  actorId: id,
  environment: oneOf(ENVIRONMENTS),
  /** The most that the app may move out of the actor's wallet within 24 hours, as the actor set it; absent: no limit. */
  appAmountPerDayCents: optional(positive(MAX_CENTS)),
  /** The command is dropped if it has not begun by then: milliseconds since 1970. */
  beginBeforeMs: integer,
  /** Absent: the caller does not send it twice. */
  idempotency: optional(nested(Idempotency)),
};

/** Pays or charges a user. Delivered twice, it makes one payment. */
export class CreatePayment extends message({
  target: nested(PaymentTarget),
  action: oneOf(PAYMENT_ACTIONS),
  /** Always positive; `action` says which way it moves. */
  amountCents: positive(MAX_CENTS),
  // Length would not count variation selectors, of which a note may consist.
  note: field<string>(maxLengthRule(MAX_NOTE_UNITS), IsNotEmpty(), plainTextRule()),
  /** Null: the actor's own default. */
  audience: nullable(oneOf(AUDIENCES)),
  medium: oneOf(MEDIUMS),
  ...COMMAND_FIELDS,
}) {}

/** The fields of a payment that its actor decides: its events, rows and views repeat them unchanged. */
export type PaymentTerms = Readonly<Pick<CreatePayment, 'action' | 'amountCents' | 'note' | 'medium'>>;

/** Returns the terms alone of a command, an event, a row or a view. */
export function paymentTermsOf({ action, amountCents, note, medium }: PaymentTerms): PaymentTerms {
  // A literal, which costs a tenth of a loop over names; its type demands every term, optional ones too.
  const terms: { readonly [Name in keyof Required<PaymentTerms>]: PaymentTerms[Name] } = {
    action,
    amountCents,
    note,
    medium,
  };
  return terms;
}

/** To whom a payment went: exactly one of `user`, `email` and `phone` is set. */
export interface TargetView {
  readonly type: TargetType;
  readonly user: UserCard | null;
  readonly email: string | null;
  readonly phone: string | null;
}

/** A payment as its two parties see it. Times are microseconds since 1970, `amountCents` is positive. */
export interface PaymentView extends PaymentTerms {
  readonly id: string;
  readonly status: PaymentStatus;
  readonly feeCents: number | null;
  readonly audience: Audience;
  readonly createdAtUs: number;
  readonly completedAtUs: number | null;
  readonly actor: UserCard;
  readonly target: TargetView;
  readonly refund: PaymentView | null;
}

export interface CreatedPayment {
  readonly payment: PaymentView;
  /** The actor's balance once the payment is where `payment.status` says. */
  readonly balanceCents: number;
}

/**
 * Pays or charges. Keyed by the actor. Errors: `resource_not_found`, `cannot_pay_self`, `account_frozen`,
 * `not_permitted`, `merchant_payments_not_allowed`, `idempotency_key_reused`, `idempotency_in_progress`,
 * `sandbox_amount_unknown` where the target is the sandbox's test user,
 * `service_unavailable`, `outcome_unknown`.
 */
export const createPayment = requestContract<CreatePayment, CreatedPayment & MaybeReplayed>(
  TOPICS.paymentsCommands,
  'payments.create',
);

/** Takes an action on an existing payment. Delivered twice, it acts once. */
export class ActOnPayment extends message({
  action: oneOf(REQUEST_ACTIONS),
  ...COMMAND_FIELDS,
}) {}

/**
 * Takes an action on an existing payment. Keyed by the acting user. Errors: `resource_not_found`, `not_permitted`, `account_frozen`,
 * `cannot_pay_self`, `payment_not_pending`, `insufficient_funds`, `idempotency_key_reused`, `idempotency_in_progress`,
 * `service_unavailable`, `outcome_unknown`.
 */
export const actOnPayment = requestContract<ActOnPayment, PaymentView & MaybeReplayed>(
  TOPICS.paymentsCommands,
  'payments.act',
);
