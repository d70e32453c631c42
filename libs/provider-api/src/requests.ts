import { CURRENCY, KEY, REQUESTED_CENTS, TIME, WEB_ADDRESS } from './fields.js';
import { object, parserOf, text, yesOrNo, type ValueOf } from './shape.js';

/** The key of the path again: the signature covers the body, not the path. */
const key = KEY;
const money = { amount: REQUESTED_CENTS, currency: CURRENCY };
/** Settle's id of the user. */
const user = text(/^[A-Za-z0-9_-]+$/, 100);
/** A provider that has not begun by then never begins. Not part of the content that is compared. */
const begin_before = TIME;

/** Body of `PUT /charges/{key}`. */
export const CHARGE_REQUEST = object({ key, user, source_key: KEY, ...money, begin_before });
/** Body of `PUT /repayments/{key}`. It names its charge, so it works after the source is removed. */
export const REPAYMENT_REQUEST = object({ key, user, charge_key: KEY, ...money, begin_before });
/** Body of `PUT /payouts/{key}`. */
export const PAYOUT_REQUEST = object({ key, user, source_key: KEY, ...money, begin_before });
/** Body of `POST /charges/{key}/cancel`: the content under which a key that is not known is stored as cancelled. */
export const CANCEL_REQUEST = object({ key, user, source_key: KEY, ...money });
/** Body of `PUT /sources/{key}`: the user is sent to the page in the answer, and back to `return_url`. */
export const SOURCE_REQUEST = object({
  key,
  user,
  /** The user's name, with which the owner of the account is compared. */
  owner_name: text(/^[^\p{Cc}]+$/u, 200),
  wants_charges: yesOrNo,
  wants_payouts: yesOrNo,
  return_url: WEB_ADDRESS,
});
/** Body of `POST /sources/{key}/end`. */
export const END_REQUEST = object({ key });

export type ChargeRequest = ValueOf<typeof CHARGE_REQUEST>;
export type RepaymentRequest = ValueOf<typeof REPAYMENT_REQUEST>;
export type PayoutRequest = ValueOf<typeof PAYOUT_REQUEST>;
export type CancelRequest = ValueOf<typeof CANCEL_REQUEST>;
export type SourceRequest = ValueOf<typeof SOURCE_REQUEST>;
export type EndRequest = ValueOf<typeof END_REQUEST>;

export const parseChargeRequest = parserOf(CHARGE_REQUEST);
export const parseRepaymentRequest = parserOf(REPAYMENT_REQUEST);
export const parsePayoutRequest = parserOf(PAYOUT_REQUEST);
export const parseCancelRequest = parserOf(CANCEL_REQUEST);
export const parseSourceRequest = parserOf(SOURCE_REQUEST);
export const parseEndRequest = parserOf(END_REQUEST);

/** Returns a time in microseconds as the requests state it, rounded down to the millisecond. */
export function timeOfUs(timeUs: number): string {
  return new Date(Math.floor(timeUs / 1_000)).toISOString();
}
