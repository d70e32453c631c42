import { isId } from './ids.js';
import { ENVIRONMENTS, MEDIUMS, PAYMENT_ACTIONS, TARGET_TYPES } from './payment-view.js';
import { IDEMPOTENCY_KEY, MAX_NOTE_UNITS, REQUEST_HASH, type CreatePayment } from './payments.commands.js';
import { isPlainLine, isPlainText } from './plain-text.js';
import { AUDIENCES } from './users-state.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Variation selectors do not count as length, so a text of nothing else is left to the validators. */
const VISIBLE_FIRST = /^[!-~]/;

/**
 * Whether a payload is a `CreatePayment` beyond doubt, at a fortieth of the validators' cost: every payment passes
 * here. Of what it does not recognise the validators decide.
 */
export function isPlainlyCreatePayment(payload: object): boolean {
  const { commandId, paymentId, appId, actorId, target, action, idempotency, ...rest } =
    payload as Partial<CreatePayment>;
  return (
    isText(commandId, 36) &&
    UUID.test(commandId) &&
    isText(paymentId, 19) &&
    isId(paymentId) &&
    isText(appId, 64) &&
    VISIBLE_FIRST.test(appId) &&
    isPlainLine(appId) &&
    isText(actorId, 19) &&
    isId(actorId) &&
    isTarget(target) &&
    isOneOf(PAYMENT_ACTIONS, action) &&
    hasPlainTerms(rest) &&
    (idempotency === undefined || isIdempotency(idempotency))
  );
}

type Terms = Partial<
  Pick<
    CreatePayment,
    'amountCents' | 'note' | 'audience' | 'medium' | 'environment' | 'appAmountPerDayCents' | 'beginBeforeMs'
  >
>;

function hasPlainTerms({ note, audience, medium, environment, beginBeforeMs, ...amounts }: Terms): boolean {
  const { amountCents, appAmountPerDayCents } = amounts;
  return (
    isPositiveCents(amountCents) &&
    (appAmountPerDayCents === undefined || isPositiveCents(appAmountPerDayCents)) &&
    isText(note, MAX_NOTE_UNITS) &&
    isPlainText(note) &&
    (audience === null || isOneOf(AUDIENCES, audience)) &&
    isOneOf(MEDIUMS, medium) &&
    isOneOf(ENVIRONMENTS, environment) &&
    Number.isSafeInteger(beginBeforeMs)
  );
}

function isPositiveCents(cents: unknown): boolean {
  return Number.isSafeInteger(cents) && (cents as number) >= 1;
}

function isTarget(target: unknown): boolean {
  if (typeof target !== 'object' || target === null || Array.isArray(target)) return false;
  const { type, value } = target as Partial<CreatePayment['target']>;
  return isOneOf(TARGET_TYPES, type) && isText(value, 320) && VISIBLE_FIRST.test(value) && isPlainLine(value);
}

function isIdempotency(idempotency: unknown): boolean {
  if (typeof idempotency !== 'object' || idempotency === null || Array.isArray(idempotency)) return false;
  const { key, requestHash } = idempotency as Partial<NonNullable<CreatePayment['idempotency']>>;
  return isText(key, 255) && IDEMPOTENCY_KEY.test(key) && isText(requestHash, 64) && REQUEST_HASH.test(requestHash);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= longest;
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && values.includes(value);
}
