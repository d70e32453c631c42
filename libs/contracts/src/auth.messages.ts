import { IsArray, IsHexadecimal, Length } from 'class-validator';
import { eventContract, requestContract } from './message.js';
import { field, id, integer, line, message, oneOf } from './message-fields.js';
import type { Environment } from './payment-enums.js';
import { TOPICS } from './topics.js';

export const SCOPES = [
  'make_payments',
  'access_profile',
  'access_email',
  'access_phone',
  'access_balance',
  'access_friends',
  'access_payment_history',
  // Former clients request it. It opens nothing: there is no feed.
  'access_feed',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Requests the grant of a token. The token itself is never sent, only its SHA-256 in hex. */
export class CheckToken extends message({
  tokenSha256: field<string>(Length(64, 64), IsHexadecimal()),
}) {}

/** The grant of a valid token. `expiresAtMs` is milliseconds since 1970. */
export interface TokenGrant {
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAtMs: number;
  /** The only environment in which the token works; absent: all environments. */
  readonly environment?: Environment;
  /** There and true: its app has chosen answers in the form of the former interface. Errors say so in their details. */
  readonly legacyAnswers?: boolean;
  /** Largest sum that the app may move out of the user's wallet within 24 hours, positive cents; absent: no limit. */
  readonly appAmountPerDayCents?: number;
}

/** The response is a `TokenGrant`. Errors: `invalid_token`, `expired_token`, `revoked_token`, `account_frozen`. Keyed by the token's hash. */
export const checkToken = requestContract<CheckToken, TokenGrant>(TOPICS.authRequests, 'auth.check-token');

/** Has the user asked by e-mail to confirm a charge on the page about their money. Delivered again, it sends nothing. */
export class NotifyConfirmation extends message({
  userId: id,
  /** The provider's key of the charge. */
  chargeKey: line(200),
}) {}

/** Whether this request queued the e-mail; false: an earlier one did. */
export interface FundingNotice {
  readonly isNew: boolean;
}

/** Keyed by the user. Error: `service_unavailable`. */
export const notifyConfirmation = requestContract<NotifyConfirmation, FundingNotice>(
  TOPICS.authRequests,
  'auth.notify-confirmation',
);

/**
 * Outcomes of which a user is notified: a card or account declined a payment that the user approved; a repayment to it, or a
 * withdrawal, did not arrive, and the money is balance again.
 */
export const FUNDING_OUTCOMES = ['approval_declined', 'repayment_returned', 'withdrawal_returned'] as const;

export type FundingOutcome = (typeof FUNDING_OUTCOMES)[number];

/** Has the user notified by e-mail of what became of money. Delivered again, it sends nothing. */
export class NotifyFundingOutcome extends message({
  userId: id,
  outcome: oneOf(FUNDING_OUTCOMES),
  /** Key of the charge or repayment, or id of the withdrawal. */
  id: line(200),
}) {}

/** Keyed by the user. Error: `service_unavailable`. */
export const notifyFundingOutcome = requestContract<NotifyFundingOutcome, FundingNotice>(
  TOPICS.authRequests,
  'auth.notify-funding-outcome',
);

/**
 * Event on `auth.revocations`: tokens whose cached grant is no longer valid, and the time up to which the list is complete.
 * A listed token was revoked, or has another grant; the next check returns which.
 */
export class TokensRevoked extends message({
  tokenSha256s: field<readonly string[]>(Length(64, 64, { each: true }), IsHexadecimal({ each: true }), IsArray()),
  /** All revocations and changes up to this time are published; milliseconds since 1970, by auth-service's clock. */
  completeUpToMs: integer,
}) {}

/** Has no key: every gateway consumes all events. */
export const tokensRevoked = eventContract<TokensRevoked>(
  TOPICS.authRevocations,
  'auth.tokens-revoked',
  () => TokensRevoked,
);
