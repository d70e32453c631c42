import { object, oneOf, text, wholeNumber, type ValueOf } from './shape.js';

/** Largest body of a request, an answer or a callback, in bytes. */
export const MAX_BODY_BYTES = 65_536;

/** The largest amount in cents that is read; far above every limit of a payment. */
const MAX_AMOUNT_CENTS = 1_000_000_000_000;

/** A permanent key, chosen by Settle. It fits into a path without escapes. */
export const KEY = text(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/, 200);
/** The provider's own id of an object. */
export const PROVIDER_ID = text(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/, 100);
export const AMOUNT_CENTS = wholeNumber(0, MAX_AMOUNT_CENTS);
export const REQUESTED_CENTS = wholeNumber(1, MAX_AMOUNT_CENTS);
/** ISO 4217. Only `USD` is used; another currency in an answer is a contradiction, which must be readable. */
export const CURRENCY = text(/^[A-Z]{3}$/, 3);
/** Grows with each change of the object. */
export const VERSION = wholeNumber(1, Number.MAX_SAFE_INTEGER);
/** RFC 3339 in UTC. */
export const TIME = text(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/, 27, 'date-time');
export const WEB_ADDRESS = text(/^https?:\/\/[\x21-\x7e]+$/, 2_000, 'uri');
/** Why something was refused: a closed list. The provider's own text is never read. */
export const CODE = oneOf(
  'declined',
  'insufficient',
  'expired_card',
  'suspected_fraud',
  'action_timeout',
  'limit',
  'other',
);
/** A page of the provider on which the user must do something, such as 3-D Secure. */
export const NEXT_ACTION = object({ url: WEB_ADDRESS, expires_at: TIME });

export type ProviderNextAction = ValueOf<typeof NEXT_ACTION>;
