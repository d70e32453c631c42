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
  type PaymentAction,
  type PaymentStatus,
  type RequestAction,
} from '@settle/contracts';
import { formatCents, parseAmountCents } from '@settle/payments-domain';
import { isLosslessNumber } from 'lossless-json';
import { parseIsoDateUs } from './iso-date.js';

const MAX_NOTE_CODE_POINTS = 280;

/** A rule reads one present parameter; it throws the catalogue's code with a message that names the parameter. */
export type ParameterRule<Value> = (value: unknown, name: string) => Value;

/** Whether a parameter counts as absent: not sent, JSON null, or blank (see `isBlank`). */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Whether a parameter is absent or the empty string, which a required parameter must not be. */
export function isBlank(value: unknown): boolean {
  return isAbsent(value) || value === '';
}

export function missingParameter(name: string): SettleError {
  return new SettleError('missing_parameter', `${name} is required: send it with a value.`);
}

/** @returns signed cents @param maxCents largest absolute value */
export function readAmountCents(value: unknown, maxCents: number): number {
  const text = textOrNumber(value);
  const cents = text === null ? null : parseAmountCents(text, maxCents);
  if (cents !== null) return cents;
  throw new SettleError(
    'invalid_amount',
    `amount must be a decimal such as 12.34 (or -12.34 to charge): not zero, at most two decimals, at most ${formatCents(maxCents)}.`,
  );
}

export const readNote: ParameterRule<string> = (value) => {
  const note = typeof value === 'string' ? value.trim().replaceAll('\r\n', '\n') : '';
  if (note !== '' && isPlainText(note) && isWithinCodePoints(note, MAX_NOTE_CODE_POINTS)) return note;
  throw new SettleError(
    'invalid_note',
    `note must be text of 1 to ${MAX_NOTE_CODE_POINTS} characters without control characters and characters that turn text around.`,
  );
};

/** Clients of the former interface write `Private`. */
export const readAudience: ParameterRule<Audience> = (value, name) =>
  oneOf(AUDIENCES, typeof value === 'string' ? value.toLowerCase() : value, 'invalid_audience', name);

export const readUserIdTarget: ParameterRule<string> = (value, name) => {
  const text = textOrNumber(value);
  if (text !== null && isId(text)) return text;
  throw new SettleError('invalid_target', `${name} must be a user id: 18 or 19 digits.`);
};

export const readEmailTarget: ParameterRule<string> = (value, name) => {
  const email = typeof value === 'string' ? parseEmail(value) : null;
  if (email !== null) return email;
  throw new SettleError('invalid_email', `${name} must be an e-mail address such as name@example.com.`);
};

export const readPhoneTarget: ParameterRule<string> = (value, name) => {
  const text = textOrNumber(value);
  const phone = text === null ? null : parseUsPhone(text);
  if (phone !== null) return phone;
  throw new SettleError('invalid_phone', `${name} must be a US phone number such as 415 555 0101.`);
};

/** Reads the action on a pending payment. */
export const readRequestAction: ParameterRule<RequestAction> = (value, name) =>
  oneOf(REQUEST_ACTIONS, value, 'invalid_action', name);

/** Reads the kind of payments to list. */
export const readListedAction: ParameterRule<PaymentAction> = (value, name) =>
  oneOf(PAYMENT_ACTIONS, value, 'invalid_action', name);

export const readStatuses: ParameterRule<PaymentStatus[]> = (value, name) =>
  listOf(value).map((status) => oneOf(PAYMENT_STATUSES, status, 'invalid_status', name));

export const readIds: ParameterRule<string[]> = (value, name) => listOf(value).map((id) => readId(id, name));

export const readId: ParameterRule<string> = (value, name) => {
  const text = textOrNumber(value);
  if (text !== null && isId(text)) return text;
  throw new SettleError('invalid_request', `${name} must be an id: 18 or 19 digits.`);
};

/**
 * Reads the page size: the requested one, at most the largest page; 0, as clients of the former interface send it,
 * means the default.
 */
export const readLimit: ParameterRule<number> = (value, name) => {
  const text = textOrNumber(value) ?? '';
  if (text === '0') return DEFAULT_PAGE_SIZE;
  if (/^[1-9][0-9]*$/.test(text)) return Math.min(Number(text), MAX_PAGE_SIZE);
  throw new SettleError(
    'invalid_limit',
    `${name} must be a whole number; without it a page holds ${DEFAULT_PAGE_SIZE}, and never more than ${MAX_PAGE_SIZE}.`,
  );
};

/** Reads how many rows to skip before the page. */
export const readOffset: ParameterRule<number> = (value, name) => {
  const text = textOrNumber(value) ?? '';
  if (/^(?:0|[1-9][0-9]*)$/.test(text)) return Math.min(Number(text), MAX_OFFSET);
  throw new SettleError('invalid_request', `${name} must be a whole number: how many entries to leave out.`);
};

/** Reads an exclusive bound. @returns microseconds since 1970 */
export const readDateUs: ParameterRule<number> = (value, name) => {
  const atUs = typeof value === 'string' ? parseIsoDateUs(value, name === 'before' ? 'up' : 'down') : null;
  if (atUs !== null) return atUs;
  throw new SettleError('invalid_date', `${name} must be an ISO 8601 date such as 2026-01-31 or 2026-01-31T10:00:00Z.`);
};

function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  value: unknown,
  code: ErrorCode,
  name: string,
): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice !== undefined) return choice;
  throw new SettleError(code, `${name} must be one of ${choices.join(', ')}.`);
}

function listOf(value: unknown): readonly unknown[] {
  return typeof value === 'string' ? value.split(',') : [value];
}

/** Returns the text of a parameter that JSON may also carry as a number, by the number's source text. */
function textOrNumber(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return isLosslessNumber(value) ? value.value : null;
}

function isWithinCodePoints(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max);
}
