import { LIMITS } from '@settle/config';
import {
  AUDIENCES,
  PAYMENT_ACTIONS,
  PAYMENT_STATUSES,
  REQUEST_ACTIONS,
  SettleError,
  DEFAULT_PAGE_SIZE,
  MAX_OFFSET,
  MAX_PAGE_SIZE,
  isId,
  isPlainText,
  parseEmail,
  parseUsPhone,
  type Audience,
  type ErrorCode,
} from '@settle/contracts';
import { formatCents, parseAmountCents } from '@settle/payments-domain';
import { isLosslessNumber } from 'lossless-json';
import { parseIsoDateUs } from './iso-date.js';

const { listedValues } = LIMITS.gateway;
const MAX_NOTE_CODE_POINTS = 280;
const WHOLE_NUMBER = /^(?:0|[1-9][0-9]*)$/;

/** A rule reads one present parameter; it throws the catalogue's code with a message that names the parameter. */
export type ParameterRule<Value> = (value: unknown, name: string) => Value;

/** Whether a parameter counts as absent: not sent, JSON null, or the empty string, which a required one must not be. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

export function missingParameter(name: string): SettleError {
  return new SettleError('missing_parameter', `${name} is required: send it with a value.`);
}

/** Makes a rule. @param parse returns null for a value that is refused @param problem says what the parameter must be */
function rule<Value>(
  parse: (value: unknown, name: string) => Value | null,
  code: ErrorCode,
  problem: (name: string) => string,
): ParameterRule<Value> {
  return (value, name) => {
    const parsed = parse(value, name);
    if (parsed !== null) return parsed;
    throw new SettleError(code, problem(name));
  };
}

/** Parses the text of a parameter that JSON may also carry as a number, by the number's source text. */
const fromText =
  <Value>(parse: (text: string) => Value | null) =>
  (value: unknown): Value | null => {
    if (typeof value === 'string') return parse(value);
    return isLosslessNumber(value) ? parse(value.value) : null;
  };

const oneOf = <const Choice extends string>(choices: readonly Choice[], code: ErrorCode) =>
  rule(
    (value) => choices.find((choice) => choice === value) ?? null,
    code,
    (name) => `${name} must be one of ${choices.join(', ')}.`,
  );

/** Reads values that a text separates by commas. Error for too many of them: `invalid_request`. */
const listOf =
  <Value>(read: ParameterRule<Value>): ParameterRule<Value[]> =>
  (value, name) => {
    const items: readonly unknown[] = typeof value === 'string' ? value.split(',') : [value];
    if (items.length <= listedValues) return items.map((item) => read(item, name));
    throw new SettleError('invalid_request', `${name} takes at most ${listedValues} values: send fewer.`);
  };

/** Reads signed cents. @param maxCents largest absolute value */
export const amountRule = (maxCents: number): ParameterRule<number> =>
  rule(
    fromText((text) => parseAmountCents(text, maxCents)),
    'invalid_amount',
    (name) =>
      `${name} must be a decimal such as 12.34 (or -12.34 to charge): not zero, at most two decimals, at most ${formatCents(maxCents)}.`,
  );

export const readNote = rule(
  (value) => {
    const note = typeof value === 'string' ? value.trim().replaceAll('\r\n', '\n') : '';
    return note !== '' && isPlainText(note) && isWithinCodePoints(note, MAX_NOTE_CODE_POINTS) ? note : null;
  },
  'invalid_note',
  (name) =>
    `${name} must be text of 1 to ${MAX_NOTE_CODE_POINTS} characters without control characters and characters that turn text around.`,
);

const readLowerCaseAudience = oneOf(AUDIENCES, 'invalid_audience');
/** Clients of the former interface write `Private`. */
export const readAudience: ParameterRule<Audience> = (value, name) =>
  readLowerCaseAudience(typeof value === 'string' ? value.toLowerCase() : value, name);

const parseId = fromText((text) => (isId(text) ? text : null));
export const readId = rule(parseId, 'invalid_request', (name) => `${name} must be an id: 18 or 19 digits.`);
export const readIds = listOf(readId);
export const readUserIdTarget = rule(
  parseId,
  'invalid_target',
  (name) => `${name} must be a user id: 18 or 19 digits.`,
);

export const readEmailTarget = rule(
  (value) => (typeof value === 'string' ? parseEmail(value) : null),
  'invalid_email',
  (name) => `${name} must be an e-mail address such as name@example.com.`,
);
export const readPhoneTarget = rule(
  fromText(parseUsPhone),
  'invalid_phone',
  (name) => `${name} must be a US phone number such as 415 555 0101.`,
);

/** Reads the action on a pending payment. */
export const readRequestAction = oneOf(REQUEST_ACTIONS, 'invalid_action');
/** Reads the kind of payments to list. */
export const readListedAction = oneOf(PAYMENT_ACTIONS, 'invalid_action');
export const readStatuses = listOf(oneOf(PAYMENT_STATUSES, 'invalid_status'));

/**
 * Reads the page size: the requested one, at most the largest page; 0, as clients of the former interface send it,
 * means the default.
 */
export const readLimit = rule(
  fromText((text) => (WHOLE_NUMBER.test(text) ? Math.min(Number(text) || DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE) : null)),
  'invalid_limit',
  (name) =>
    `${name} must be a whole number; without it a page holds ${DEFAULT_PAGE_SIZE}, and never more than ${MAX_PAGE_SIZE}.`,
);

/** Reads how many rows to skip before the page. */
export const readOffset = rule(
  fromText((text) => (WHOLE_NUMBER.test(text) ? Math.min(Number(text), MAX_OFFSET) : null)),
  'invalid_request',
  (name) => `${name} must be a whole number: how many entries to leave out.`,
);

/** Reads an exclusive bound. @returns microseconds since 1970 */
export const readDateUs = rule(
  (value, name) => (typeof value === 'string' ? parseIsoDateUs(value, name === 'before' ? 'up' : 'down') : null),
  'invalid_date',
  (name) => `${name} must be an ISO 8601 date such as 2026-01-31 or 2026-01-31T10:00:00Z.`,
);

function isWithinCodePoints(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max);
}
