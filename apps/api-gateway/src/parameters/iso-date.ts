import { DATE_PATTERN } from '../schemas/patterns.js';

const ISO_DATE = new RegExp(DATE_PATTERN);
const PARTS = /^(.{10})(?:T(.{5}(?::[0-9]{2})?)(?:\.([0-9]+))?(Z|[+ -].{5})?)?$/;

/**
 * Microseconds since 1970 of an ISO 8601 date or date and time; UTC where no offset is written. Null for anything
 * else or a day that does not exist. A part of a microsecond is rounded `up` or `down`, so that what lies strictly
 * before or after the time stays so. Times that a double cannot hold to the microsecond (before 1684, after 2255)
 * become the nearest one that it can.
 */
export function parseIsoDateUs(text: string, rounded: 'up' | 'down'): number | null {
  if (!ISO_DATE.test(text)) return null;
  const [, date = '', clock = '00:00', fraction = '', zone = 'Z'] = PARTS.exec(text) ?? [];
  // `Date` takes February 29 of other years for March 1.
  if (!new Date(`${date}T00:00Z`).toISOString().startsWith(date)) return null;
  // An unescaped "+" arrives as a space.
  const atMs = Date.parse(`${date}T${clock}${zone.replace(' ', '+')}`);
  const atUs = atMs * 1_000 + microsecondsOf(fraction, rounded);
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, atUs));
}

function microsecondsOf(fraction: string, rounded: 'up' | 'down'): number {
  const hasRest = /[1-9]/.test(fraction.slice(6));
  return Number(fraction.slice(0, 6).padEnd(6, '0')) + (hasRest && rounded === 'up' ? 1 : 0);
}
