import { Matches } from 'class-validator';
import { requestContract } from './message.js';
import { atLeast, field, flag, id, integer, line, message, nullable, oneOf, positive, uuid } from './message-fields.js';
import { TOPICS } from './topics.js';

/** Largest amount of a deposit or withdrawal that a message can carry; the limits of payments-service are far below. */
export const MAX_FUNDING_CENTS = 1_000_000_000;
const MAX_PAGE = 100;

/** Key of a source at the provider, chosen by the page that begins it. */
const sourceKey = field<string>(Matches(/^src-[0-9a-f-]{36}$/));
/** Id of a deposit or withdrawal. It comes with the form, so that a form that is sent twice does it once. */
const fundingId = uuid;

/** A card or bank account of a user at the payment provider. Its number never passes through Settle. */
export interface SourceView {
  readonly key: string;
  readonly state: 'verifying' | 'active' | 'ended';
  readonly canCharge: boolean;
  readonly canPayout: boolean;
  /** Whether the account belongs to the user. Payouts go only to such a source. */
  readonly isOwnerMatch: boolean;
  readonly brand: string | null;
  readonly lastFour: string | null;
  /** Whether withdrawals go to it. */
  readonly isForPayouts: boolean;
}

/** Begins a source. The user enters the number on the provider's page and comes back to `returnUrl`. */
export class BeginSource extends message({
  userId: id,
  sourceKey,
  /** The user's name, with which the provider compares the owner of the account. */
  ownerName: line(200),
  wantsCharges: flag,
  wantsPayouts: flag,
  returnUrl: line(2_000),
}) {}

export interface BegunSource {
  /** Where the user is to be sent; its origin is allowed. Null: the source needs no page any more. */
  readonly pageUrl: string | null;
}

/** Keyed by the user. Errors: `service_unavailable` if the provider does not answer or none is set. */
export const beginSource = requestContract<BeginSource, BegunSource>(TOPICS.paymentsCommands, 'payments.begin-source');

/** Reads a source that the user has begun from the provider, and keeps it. */
export class KeepSource extends message({
  userId: id,
  sourceKey,
  /** Whether withdrawals go to it from now on, in place of another source. */
  isForPayouts: flag,
}) {}

/**
 * Returns the source as the provider has it, also while it is still verifying. Keyed by the user. Errors:
 * `resource_not_found` if the provider does not know it or it is another user's; `not_permitted` if the same card or account
 * belongs to another user, or the source cannot be used as requested; `service_unavailable`.
 */
export const keepSource = requestContract<KeepSource, SourceView>(TOPICS.paymentsCommands, 'payments.keep-source');

/** Ends a source at the provider for good. */
export class EndSource extends message({ userId: id, sourceKey: line(200) }) {}

/** Also for a source that has ended. Keyed by the user. Errors: `resource_not_found`, `service_unavailable`. */
export const endSource = requestContract<EndSource, { readonly sourceKey: string }>(
  TOPICS.paymentsCommands,
  'payments.end-source',
);

/** The state of a deposit, a withdrawal, the charge of a payment, or a reversal. */
export const FUNDING_STATUSES = [
  /** The provider has not decided. */
  'pending',
  /** The withdrawal waits for an operator. */
  'review',
  /** The money has arrived: in the wallet or, of a withdrawal, at the source. */
  'settled',
  'failed',
  'cancelled',
  /** The payout came back, and its money is balance again; or the money of a charge was given back to its source. */
  'returned',
  /** A dispute: the money has left the wallet. */
  'reversed',
] as const;

export type FundingStatus = (typeof FUNDING_STATUSES)[number];

/** Why money did not move. The provider's codes, and ours. */
export type FundingReason =
  | 'declined'
  | 'insufficient'
  | 'expired_card'
  | 'suspected_fraud'
  | 'action_timeout'
  | 'limit'
  | 'other'
  | 'cancelled'
  | 'not_covered'
  | 'owner_frozen'
  | 'refused_by_operator';

/** One line of what happened to a user's money from and to the outside. */
export interface FundingItem {
  readonly kind: 'deposit' | 'withdrawal' | 'charge' | 'reversal';
  readonly id: string;
  readonly amountCents: number;
  readonly status: FundingStatus;
  readonly reason: FundingReason | null;
  /** The payment that the charge is for; null for the others. */
  readonly paymentId: string | null;
  readonly createdAtUs: number;
  /** A page of the provider on which the user must do something, such as 3-D Secure. Its origin is allowed. */
  readonly nextAction: { readonly url: string; readonly expiresAt: string } | null;
  /** Whether its owner can still cancel it. */
  readonly canCancel: boolean;
}

/** Money between a user's wallet and the outside. */
export interface FundingOverview {
  /** Whether a provider is set. */
  readonly isAvailable: boolean;
  /** Whether the provider moves real money. */
  readonly isLive: boolean;
  readonly balanceCents: number;
  /** The part of the balance that can be withdrawn now. */
  readonly withdrawableCents: number;
  readonly sources: readonly SourceView[];
  /** Newest first. */
  readonly items: readonly FundingItem[];
  /** Continues the list after its last item; null at the end. */
  readonly nextBeforeUs: number | null;
}

export class GetFunding extends message({
  userId: id,
  /** Only items before this time; null: the newest. */
  beforeUs: nullable(integer),
  limit: positive(MAX_PAGE),
}) {}

/** Keyed by the user. The sandbox has no funding. */
export const getFunding = requestContract<GetFunding, FundingOverview>(TOPICS.paymentsQueries, 'payments.funding');

/** Adds money from a source to the user's wallet. Delivered twice, it charges once. */
export class RequestDeposit extends message({
  fundingId,
  userId: id,
  sourceKey: line(200),
  amountCents: positive(MAX_FUNDING_CENTS),
  /** The command is dropped if it has not begun by then: milliseconds since 1970. */
  beginBeforeMs: integer,
}) {}

/**
 * Returns the deposit as it is after a bounded wait for the provider; `pending` if that has not decided. Keyed by the user.
 * Errors: `account_frozen`; `not_permitted` if the source cannot be charged, a daily limit is reached (the message says
 * which and until when) or the id belongs to another request; `service_unavailable`, `outcome_unknown`.
 */
export const requestDeposit = requestContract<RequestDeposit, FundingItem>(
  TOPICS.paymentsCommands,
  'payments.request-deposit',
);

/** Pays money of the user's wallet out to the source for payouts. Delivered twice, it does so once. */
export class RequestWithdrawal extends message({
  fundingId,
  userId: id,
  amountCents: positive(MAX_FUNDING_CENTS),
  /**
   * No payout before this time in microseconds since 1970, because the user has reset the password or has a new e-mail
   * address; 0: no such wait.
   */
  notBeforeUs: atLeast(0),
  /** The command is dropped if it has not begun by then: milliseconds since 1970. */
  beginBeforeMs: integer,
}) {}

/**
 * Returns the withdrawal as it is after a bounded wait for the provider. Keyed by the user. Errors: `account_frozen`,
 * `insufficient_funds` (the message says what can be withdrawn); `not_permitted` without a source for payouts, before
 * `notBeforeUs`, within 24 hours after a new source for payouts, above a daily limit, or if the id belongs to another
 * request; `service_unavailable`, `outcome_unknown`.
 */
export const requestWithdrawal = requestContract<RequestWithdrawal, FundingItem>(
  TOPICS.paymentsCommands,
  'payments.request-withdrawal',
);

/** Cancels a withdrawal whose payout is not sent yet. */
export class CancelWithdrawal extends message({ userId: id, fundingId: line(200) }) {}

/** Keyed by the user. Errors: `resource_not_found`; `not_permitted` if it is too late; `service_unavailable`. */
export const cancelWithdrawal = requestContract<CancelWithdrawal, FundingItem>(
  TOPICS.paymentsCommands,
  'payments.cancel-withdrawal',
);

/** Advances a deposit, withdrawal or reversal now. Sent between instances of payments-service. */
export class AdvanceFunding extends message({
  userId: id,
  kind: oneOf(['deposit', 'withdrawal', 'reversal']),
  fundingId: line(200),
}) {}

/** Keyed by the user. Resolves once what the provider has answered is stored. */
export const advanceFunding = requestContract<AdvanceFunding, { readonly fundingId: string }>(
  TOPICS.paymentsCommands,
  'payments.advance-funding',
);
