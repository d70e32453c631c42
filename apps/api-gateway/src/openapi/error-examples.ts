import { PAYMENT_STATUSES, REQUEST_ACTIONS, type ErrorCode } from '@settle/contracts';
import { EXAMPLE_PAYMENT_ID } from '../responses/payments.js';

/** Example messages of each code. Specs find each message among those of the product. */
export const ERROR_EXAMPLES: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The body is not JSON: check quotes, commas and brackets.',
  missing_parameter: 'amount is required: send it with a value.',
  invalid_amount:
    'amount must be a decimal such as 12.34 (or -12.34 to charge): not zero, at most two decimals, at most 2999.99.',
  invalid_note:
    'note must be text of 1 to 280 characters without control characters and characters that turn text around.',
  invalid_audience: 'audience must be one of public, friends, private.',
  invalid_target: 'user_id must be a user id: 18 or 19 digits.',
  invalid_email: 'email must be an e-mail address such as name@example.com.',
  invalid_phone: 'phone must be a US phone number such as 415 555 0101.',
  invalid_limit: 'limit must be a whole number; without it a page holds 20, and never more than 50.',
  invalid_date: 'before must be an ISO 8601 date such as 2026-01-31 or 2026-01-31T10:00:00Z.',
  invalid_status: `status must be one of ${PAYMENT_STATUSES.join(', ')}.`,
  invalid_action: `action must be one of ${REQUEST_ACTIONS.join(', ')}.`,
  cannot_pay_self: 'You cannot pay or charge yourself. Name another user.',
  insufficient_funds: 'Your balance does not cover this request. Add money, then approve it.',
  sandbox_amount_unknown:
    'The test user has no outcome for this amount: pay 0.10, 0.20 or 0.30, or charge 0.10 or 0.20.',
  invalid_grant: 'The code is unknown, used or expired. Ask the user again.',
  invalid_scope: 'scope is missing or names an unknown scope.',
  unsupported_grant_type: 'This grant_type is not offered.',
  unsupported_response_type: 'response_type must be token or code.',
  missing_token: 'Send an access token: as access_token, or as "Authorization: Bearer".',
  invalid_token: 'The access token is not known. Ask for a new one.',
  expired_token: 'The access token has expired. Ask for a new one.',
  revoked_token: 'The access token was revoked. Ask for a new one.',
  invalid_client: 'The app is unknown or its secret is wrong.',
  insufficient_scope: 'The access token lacks a scope that this call needs: make_payments.',
  not_permitted: 'One of you has blocked the other.',
  merchant_payments_not_allowed: 'A business can neither be paid or charged nor charge through this interface.',
  account_frozen: 'Your account is frozen. Ask support to lift it.',
  resource_not_found: 'There is no such payment.',
  method_not_allowed: 'This address takes GET, HEAD, OPTIONS, POST.',
  payment_not_pending: 'This payment is settled and can no longer change.',
  idempotency_in_progress: 'A request with this Idempotency-Key is still running: send it again shortly.',
  payload_too_large: 'The body is too large: send at most 64 KiB.',
  uri_too_long: 'The URL is too long: send at most 8 KiB, the rest as a body.',
  unsupported_media_type:
    'Send the body as application/x-www-form-urlencoded, multipart/form-data or application/json.',
  idempotency_key_reused: 'This Idempotency-Key was used for another request. Use a new key for each request.',
  rate_limited: 'Too many requests with this access token. Wait 1 s, then send this one again.',
  headers_too_large: 'The headers are too large: send at most 16 KiB.',
  internal_error: 'Something went wrong on our side. Quote the request id.',
  service_unavailable: 'Too many requests are in progress. Try again shortly.',
  outcome_unknown: `No answer came in time. Read payment ${EXAMPLE_PAYMENT_ID} in ten seconds: it shows what happened; if it is not there, nothing did. A server whose events are in EventStoreDB is sure only after half a minute.`,
};
