import { PAYMENT_STATUSES } from './payment-enums.js';

/** One row of the catalogue: the HTTP status a code is answered with, and what it means to the caller. */
export interface CatalogueEntry {
  readonly status: number;
  readonly meaning: string;
}

/** Every error code that a caller can meet. Codes are stable: a row may be added, never renamed. */
export const ERROR_CATALOGUE = {
  invalid_request: { status: 400, meaning: 'The request cannot be read, or a parameter has a form it cannot have.' },
  missing_parameter: { status: 400, meaning: 'A required parameter is absent or empty.' },
  invalid_amount: {
    status: 400,
    meaning: 'The amount is not a decimal with at most two fraction digits, is zero, or exceeds the maximum.',
  },
  invalid_note: {
    status: 400,
    meaning:
      'The note is empty, longer than 280 characters, or holds control characters or characters that turn text around.',
  },
  invalid_audience: { status: 400, meaning: 'The audience is none of public, friends, private.' },
  invalid_target: {
    status: 400,
    meaning: 'More than one of user_id, email and phone was given, or the user id is no id.',
  },
  invalid_email: { status: 400, meaning: 'The e-mail address is not valid.' },
  invalid_phone: { status: 400, meaning: 'The phone number is not a US number.' },
  invalid_limit: { status: 400, meaning: 'The limit is not a whole number.' },
  invalid_date: { status: 400, meaning: 'The date is not ISO 8601, or no such day exists.' },
  invalid_status: { status: 400, meaning: `A status is none of ${PAYMENT_STATUSES.join(', ')}.` },
  invalid_action: { status: 400, meaning: 'The action is not one that this route knows.' },
  cannot_pay_self: { status: 400, meaning: 'Actor and target are the same person.' },
  insufficient_funds: { status: 400, meaning: 'The balance does not cover the request and no funding source can.' },
  sandbox_amount_unknown: { status: 400, meaning: 'The sandbox test user has no outcome for this amount.' },
  invalid_grant: {
    status: 400,
    meaning: 'The code or refresh token is unknown, used, expired or belongs to another app.',
  },
  invalid_scope: { status: 400, meaning: 'A scope is missing or unknown.' },
  unsupported_grant_type: { status: 400, meaning: 'The grant type is not offered.' },
  unsupported_response_type: { status: 400, meaning: 'The response type is not offered.' },
  missing_token: { status: 401, meaning: 'The request carries no access token.' },
  invalid_token: { status: 401, meaning: 'The access token is not known.' },
  expired_token: { status: 401, meaning: 'The access token has expired.' },
  revoked_token: { status: 401, meaning: 'The access token was revoked.' },
  invalid_client: { status: 401, meaning: 'The app is unknown or suspended, or its secret is wrong.' },
  insufficient_scope: { status: 403, meaning: 'The access token lacks a scope that this call needs.' },
  not_permitted: { status: 403, meaning: 'The user may not do this.' },
  merchant_payments_not_allowed: {
    status: 403,
    meaning: 'A business can neither be paid or charged nor charge through this interface.',
  },
  account_frozen: { status: 403, meaning: "The user's account is frozen, or the other account of the payment." },
  resource_not_found: { status: 404, meaning: 'Nothing is here for this user.' },
  method_not_allowed: { status: 405, meaning: 'The route does not take this method; Allow names those it takes.' },
  payment_not_pending: { status: 409, meaning: 'The payment has ended and can no longer change.' },
  idempotency_in_progress: { status: 409, meaning: 'A request with this Idempotency-Key is still running.' },
  payload_too_large: { status: 413, meaning: 'The body is larger than 64 KiB.' },
  uri_too_long: { status: 414, meaning: 'The URL is longer than 8 KiB.' },
  unsupported_media_type: { status: 415, meaning: 'The body is neither a form nor JSON.' },
  idempotency_key_reused: { status: 422, meaning: 'This Idempotency-Key was used for another request.' },
  rate_limited: { status: 429, meaning: 'Too many requests; wait as long as Retry-After says.' },
  headers_too_large: { status: 431, meaning: 'The headers are larger than 16 KiB, or more than 200.' },
  internal_error: { status: 500, meaning: 'A bug of ours. The request id finds it in the logs.' },
  service_unavailable: { status: 503, meaning: 'Nothing was begun; try again after Retry-After.' },
  outcome_unknown: {
    status: 504,
    meaning:
      'The command was sent and no answer came in time. Read the payment, or send again with the same Idempotency-Key.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** Anything that JSON can carry beside an error, such as `allow` or `retryAfterSeconds`. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean>>;

/** A refusal of the catalogue. `message` is shown to the caller: it says what to do and holds nothing secret. */
export class SettleError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message);
    this.name = 'SettleError';
  }

  /** The HTTP status that the catalogue gives the code. */
  get status(): number {
    return ERROR_CATALOGUE[this.code].status;
  }
}

/** The form in which an error crosses a process border. */
export interface ErrorPayload {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: ErrorDetails;
}

/** Returns the error that crosses the process boundary: a bug becomes `internal_error` without its text. */
export function toErrorPayload(error: unknown): ErrorPayload {
  if (error instanceof SettleError) return { code: error.code, message: error.message, details: error.details };
  return { code: 'internal_error', message: 'Something went wrong on our side. Quote the request id.', details: {} };
}

/** The error that `toErrorPayload` was made from. */
export function fromErrorPayload(payload: ErrorPayload): SettleError {
  return new SettleError(payload.code, payload.message, payload.details);
}
