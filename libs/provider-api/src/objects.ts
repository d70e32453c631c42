import { AMOUNT_CENTS, CODE, CURRENCY, KEY, NEXT_ACTION, PROVIDER_ID, TIME, VERSION } from './fields.js';
import { listOf, object, oneOf, orNull, parserOf, text, yesOrNo, type ValueOf } from './shape.js';

/** Most changes of one page: with the longest keys it stays below `MAX_BODY_BYTES`. */
export const CHANGES_PER_PAGE = 100;

const common = {
  id: PROVIDER_ID,
  version: VERSION,
  created_at: TIME,
  updated_at: TIME,
  /** Whether real money moves. */
  live: yesOrNo,
};
/** `amount` in cents. */
const money = { amount: AMOUNT_CENTS, currency: CURRENCY };
const outcome = { code: orNull(CODE), next_action: orNull(NEXT_ACTION) };
const payoutState = oneOf('pending', 'paid', 'failed', 'returned');

/** Money that comes from a user's source. `action_required` counts as pending. */
export const CHARGE = object({
  key: KEY,
  kind: oneOf('charge'),
  state: oneOf('pending', 'action_required', 'approved', 'declined', 'cancelled'),
  ...money,
  ...outcome,
  ...common,
});
/** Money of a charge that goes back to where it came from. `returned` may follow `paid`, days later. */
export const REPAYMENT = object({
  key: KEY,
  kind: oneOf('repayment'),
  charge_key: KEY,
  state: payoutState,
  ...money,
  ...outcome,
  ...common,
});
/** Money that goes to a user's source. `returned` may follow `paid`, days later. */
export const PAYOUT = object({ key: KEY, kind: oneOf('payout'), state: payoutState, ...money, ...outcome, ...common });
/** A dispute or chargeback. It has no key of ours: the provider's id is its key. */
export const REVERSAL = object({
  kind: oneOf('reversal'),
  charge_key: KEY,
  state: oneOf('open', 'won', 'lost'),
  ...money,
  ...common,
});
/** A card or bank account. Its number never passes through Settle. */
export const SOURCE = object({
  key: KEY,
  kind: oneOf('source'),
  state: oneOf('verifying', 'active', 'ended'),
  can_charge: yesOrNo,
  can_payout: yesOrNo,
  /** Whether the account belongs to the person named in the request. */
  owner_match: yesOrNo,
  /** The same for the same card or account; null until it is known. */
  fingerprint: orNull(PROVIDER_ID),
  brand: orNull(text(/^[A-Za-z0-9 ._-]+$/, 40)),
  last4: orNull(text(/^[0-9A-Za-z]{4}$/, 4)),
  /** The page on which the user enters the number; null once it is not needed. */
  next_action: orNull(NEXT_ACTION),
  ...common,
});
/** That an object has a new version. The body of a callback is one, too. */
export const CHANGE = object({
  kind: oneOf('charge', 'repayment', 'payout', 'reversal', 'source'),
  /** The object's key; of a reversal the provider's id. */
  key: KEY,
  version: VERSION,
  changed_at: TIME,
});
/** A page of changes in order. `cursor` continues after its last one; an empty page is the end. */
export const CHANGES = object({
  changes: listOf(CHANGE, CHANGES_PER_PAGE),
  cursor: text(/^[\x21-\x7e]+$/, 200),
});
/** The answer of `GET /`. */
export const PROVIDER = object({ name: text(/^[\x20-\x7e]+$/, 100), live: yesOrNo });

/**
 * Body of an answer with an error status. Only 404 with `not_found` says that a key is not known: the 404 of something in
 * between, such as a proxy, must not be taken for it.
 */
export const PROBLEM = object({
  error: object({
    code: oneOf('invalid_request', 'invalid_signature', 'not_found', 'key_conflict', 'too_late'),
    /** For the developer; it is not read. */
    message: text(/^/, 1_000),
  }),
});

export type ProviderCharge = ValueOf<typeof CHARGE>;
export type ProviderRepayment = ValueOf<typeof REPAYMENT>;
export type ProviderPayout = ValueOf<typeof PAYOUT>;
export type ProviderReversal = ValueOf<typeof REVERSAL>;
export type ProviderSource = ValueOf<typeof SOURCE>;
export type ProviderChange = ValueOf<typeof CHANGE>;
export type ProviderChanges = ValueOf<typeof CHANGES>;
export type ProviderProblem = ValueOf<typeof PROBLEM>;
export type ProviderInfo = ValueOf<typeof PROVIDER>;

export const parseCharge = parserOf(CHARGE);
export const parseRepayment = parserOf(REPAYMENT);
export const parsePayout = parserOf(PAYOUT);
export const parseReversal = parserOf(REVERSAL);
export const parseSource = parserOf(SOURCE);
export const parseChange = parserOf(CHANGE);
export const parseChanges = parserOf(CHANGES);
export const parseProblem = parserOf(PROBLEM);
export const parseProviderInfo = parserOf(PROVIDER);
