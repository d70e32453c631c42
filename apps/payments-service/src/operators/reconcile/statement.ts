import { CURRENCY } from '@settle/contracts';
import { MalformedStatement } from './statement-lines.js';

/** Kinds that are matched with our own books, and the direction of their money: 1 comes in, -1 goes out. */
export const DIRECTIONS = {
  charge: 1,
  repayment: -1,
  payout: -1,
  payout_return: 1,
  reversal: -1,
  reversal_won: 1,
} as const;

export type BookingKind = keyof typeof DIRECTIONS;
export const BOOKING_KINDS = Object.keys(DIRECTIONS) as readonly BookingKind[];

/** Kinds between the provider and the operator, which no event of ours shows: they are only summed. */
const SUMMED_KINDS = ['fee', 'settlement'] as const;
export type SummedKind = (typeof SUMMED_KINDS)[number];

/** `booked`: the money has moved, and the sums contain it. `none`: it has not, and does not any more. */
export type Progress = 'booked' | 'pending' | 'none';

const OPEN = { pending: 'pending', action_required: 'pending' } as const;
const PAID: Readonly<Record<string, Progress>> = {
  pending: 'pending',
  paid: 'booked',
  returned: 'booked',
  failed: 'none',
};
/** The states that a row of each kind may have, and what they say about its money. */
const STATES: Readonly<Record<BookingKind, Readonly<Record<string, Progress>>>> = {
  charge: { ...OPEN, approved: 'booked', declined: 'none', cancelled: 'none' },
  repayment: PAID,
  payout: PAID,
  payout_return: { returned: 'booked' },
  reversal: { open: 'booked', lost: 'booked', won: 'booked' },
  reversal_won: { won: 'booked' },
};

export interface StatementHead {
  readonly provider: string;
  /** The period, in microseconds since 1970; `toUs` is not included. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly openingCents: number;
  readonly closingCents: number;
}

export interface StatementRow {
  /** Line of the file, counted from 1. */
  readonly line: number;
  readonly kind: BookingKind;
  readonly key: string;
  readonly providerId: string;
  readonly cents: number;
  readonly state: string;
  readonly progress: Progress;
  readonly atUs: number;
}

export interface SummedRow {
  readonly kind: SummedKind;
  /** Below zero for one that was given back. */
  readonly cents: number;
}

const HEAD_FIELDS = 6;
const ROW_FIELDS = 6;
const NAME = /^[\w .-]{1,100}$/;
const KEY = /^[A-Za-z0-9._:-]{1,200}$/;
const CENTS = /^-?\d{1,15}$/;
const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?Z$/;

/** Parses the first line: provider, currency, from, to, opening and closing sum in cents. Error: `MalformedStatement`. */
export function readHead(text: string): StatementHead {
  const fields = fieldsOf(text, 1, HEAD_FIELDS, 'provider, currency, from, to, opening and closing sum');
  const [provider = '', currency = '', from = '', to = '', opening = '', closing = ''] = fields;
  if (!NAME.test(provider)) throw new MalformedStatement(1, 'the provider has no name that can be read');
  if (currency !== CURRENCY) throw new MalformedStatement(1, `the currency is not ${CURRENCY}`);
  const [fromUs, toUs] = [timeOf(from, 1), timeOf(to, 1)];
  if (fromUs >= toUs) throw new MalformedStatement(1, 'the period ends before it begins');
  return { provider, fromUs, toUs, openingCents: centsOf(opening, 1), closingCents: centsOf(closing, 1) };
}

/** Parses another line: key, provider's id, kind, cents, state, time. Error: `MalformedStatement`. */
export function readRow(text: string, line: number, { fromUs, toUs }: StatementHead): StatementRow | SummedRow {
  const fields = fieldsOf(text, line, ROW_FIELDS, 'key, id, kind, cents, state and time');
  const [key = '', providerId = '', kind = '', centsText = '', state = '', time = ''] = fields;
  const [cents, atUs] = [centsOf(centsText, line), timeOf(time, line)];
  if (atUs < fromUs || atUs >= toUs)
    throw new MalformedStatement(line, 'its time is outside the period of the statement');
  if (isSummed(kind)) return { kind, cents };
  if (!isBooking(kind)) throw new MalformedStatement(line, 'its kind is not known');
  if (cents <= 0) throw new MalformedStatement(line, 'its cents are not above zero');
  const progress = progressOf(kind, state, line);
  return { line, kind, key: nameOf(key, line), providerId: nameOf(providerId, line), cents, state, progress, atUs };
}

function progressOf(kind: BookingKind, state: string, line: number): Progress {
  const progress = Object.hasOwn(STATES[kind], state) ? STATES[kind][state] : undefined;
  if (progress === undefined) throw new MalformedStatement(line, `its state is none of a ${kind}`);
  return progress;
}

function nameOf(text: string, line: number): string {
  if (!KEY.test(text)) throw new MalformedStatement(line, 'its key or id cannot be read');
  return text;
}

/** Returns whether a row is of a kind that is only summed. */
export function isSummedRow(row: StatementRow | SummedRow): row is SummedRow {
  return isSummed(row.kind);
}

/** Returns the signed cents by which a row of the statement changes its sum. */
export function movedCents(row: StatementRow | SummedRow): number {
  if (isSummedRow(row)) return -row.cents;
  return row.progress === 'booked' ? DIRECTIONS[row.kind] * row.cents : 0;
}

function fieldsOf(text: string, line: number, count: number, names: string): readonly string[] {
  if (text.includes('"')) throw new MalformedStatement(line, 'it has a quote; values are written without quotes');
  const fields = text.split(',');
  if (fields.length !== count) throw new MalformedStatement(line, `it needs ${count} values: ${names}`);
  return fields;
}

function isSummed(kind: string): kind is SummedKind {
  return (SUMMED_KINDS as readonly string[]).includes(kind);
}

function isBooking(kind: string): kind is BookingKind {
  return Object.hasOwn(DIRECTIONS, kind);
}

function centsOf(text: string, line: number): number {
  if (!CENTS.test(text)) throw new MalformedStatement(line, 'its cents are not a whole number');
  return Number(text);
}

/** Returns microseconds since 1970 of a time in UTC (RFC 3339). */
function timeOf(text: string, line: number): number {
  const [, seconds = '', fraction = ''] = TIME.exec(text) ?? [];
  const ms = Date.parse(`${seconds}Z`);
  // A day such as February 30 would be read as one of March.
  const isTime = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(seconds);
  if (!isTime) throw new MalformedStatement(line, 'it has no time in UTC such as 2026-01-31T23:59:59Z');
  return ms * 1_000 + Number(fraction.padEnd(6, '0'));
}
