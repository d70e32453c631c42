import { open } from 'node:fs/promises';
import { formatDollars } from '@settle/contracts';
import { LIMITS } from '@settle/config';
import type { ClientBase } from 'pg';
import { DIFFERENCES, unequalBookings, type BookingClass, type ComparedBooking } from './comparison.js';
import { isoTime } from '../iso-time.js';

/** The words for each class, in lines for the operator. */
export const CLASS_WORDS: Readonly<Record<BookingClass, string>> = {
  missing_here: 'missing here',
  missing_there: 'missing there',
  other_amount: 'other amount',
  other_state: 'other state',
  equal: 'equal',
  edge: 'booked here within an hour outside the period',
  neighbor: 'within an hour of the edge here: in the neighboring statement',
  undone: 'repayments taken back here that were never booked there',
  pending: 'pending',
};

const HEAD = [
  ...['class', 'kind', 'key', 'provider_id', 'line', 'cents_here', 'cents_there', 'state_here', 'state_there'],
  ...['time_here', 'time_there', 'belongs_to'],
];

/**
 * Prints the first differences of each class, and writes everything that is not equal into a report. Error: the file of the
 * report exists already, or cannot be written.
 * @param report path of the report; null: none
 */
export async function sayUnequal(
  say: (line: string) => void,
  client: ClientBase,
  report: string | null,
): Promise<void> {
  const file = report === null ? null : await open(report, 'wx', 0o600);
  const printed = new Map<BookingClass, number>();
  const sayFirst = (booking: ComparedBooking) => {
    if (!DIFFERENCES.some((difference) => difference === booking.class)) return;
    const count = (printed.get(booking.class) ?? 0) + 1;
    printed.set(booking.class, count);
    if (count <= LIMITS.operators.differencesListed) say(lineOf(booking));
  };
  try {
    await file?.write(`${HEAD.join(',')}\n`);
    for await (const bookings of unequalBookings(client)) {
      await file?.write(bookings.map(rowOf).join(''));
      for (const booking of bookings) sayFirst(booking);
    }
  } finally {
    await file?.close();
  }
  for (const [name, count] of printed) {
    const more = count - LIMITS.operators.differencesListed;
    if (more > 0) say(`${CLASS_WORDS[name]}: ${more} more${report === null ? '; --report <file> writes all' : ''}`);
  }
}

function rowOf(booking: ComparedBooking): string {
  const { class: name, kind, key, providerId, line, hereCents, thereCents, hereState, thereState } = booking;
  const times = [booking.hereUs, booking.thereUs].map((us) => (us === null ? '' : isoTime(us)));
  const values = [name, kind, key, providerId, line, hereCents, thereCents, hereState, thereState, ...times];
  return `${[...values, belongsTo(booking)].map((value) => value ?? '').join(',')}\n`;
}

function lineOf(booking: ComparedBooking): string {
  const { class: name, kind, key, line } = booking;
  const here = side('here', booking.hereState, booking.hereCents, booking.hereUs);
  const there = side('there', booking.thereState, booking.thereCents, booking.thereUs);
  const at = line === null ? '' : ` (line ${line})`;
  return `${CLASS_WORDS[name]}: ${kind} ${key}${at}, ${here}, ${there}; ${belongsTo(booking)}`;
}

function side(name: string, state: string | null, cents: number | null, us: number | null): string {
  if (state === null || us === null) return `${name} nothing`;
  return `${name} ${state}${cents === null ? '' : ` ${formatDollars(cents)}`} at ${isoTime(us)}`;
}

/** The keys of a payment's charges and repayments begin with its id. */
function belongsTo({ owner, key }: ComparedBooking): string {
  if (owner !== null && owner !== '') return owner;
  const [id = ''] = key.split(':', 1);
  return key.includes(':') ? `payment ${id}` : `deposit or withdrawal ${id}`;
}
