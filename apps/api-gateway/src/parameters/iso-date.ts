const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
/** An unescaped "+" arrives as a space. */
const DATE_TIME =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(?:Z|([+ -])([0-9]{2}):([0-9]{2}))?$/;

const DAY_S = 86_400;
const MICROSECONDS = 1_000_000;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Microseconds since 1970 of an ISO 8601 date or date and time; UTC where no offset is written. Null for anything
 * else or a day that does not exist. A part of a microsecond is rounded `up` or `down`, so that what lies strictly
 * before or after the time stays so. Times that a double cannot hold to the microsecond (before 1684, after 2255)
 * become the nearest one that it can.
 */
export function parseIsoDateUs(text: string, rounded: 'up' | 'down'): number | null {
  const [, date = text, hours = '00', minutes = '00', seconds = '00', fraction = '', sign, offsetHours, offsetMinutes] =
    DATE_TIME.exec(text) ?? [];
  const day = daysSince1970(date);
  const fractionUs = microsecondsOf(fraction, rounded);
  const timeS = clockSeconds(hours, minutes, seconds);
  const offsetS = sign === undefined ? 0 : clockSeconds(offsetHours, offsetMinutes, '00');
  if (day === null || timeS === null || offsetS === null) return null;
  const atUs = (day * DAY_S + timeS - (sign === '-' ? -offsetS : offsetS)) * MICROSECONDS + fractionUs;
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, atUs));
}

function daysSince1970(date: string): number | null {
  const [, yearText, monthText, dayText] = DATE.exec(date) ?? [];
  const year = Number(yearText);
  const month = Number(monthText);
  const day = Number(dayText);
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) return null;
  // Date.UTC reads the years 0 to 99 as 1900 to 1999; the calendar repeats every 400 years.
  return (Date.UTC(year + 400, month - 1, day) - Date.UTC(400 + 1970, 0, 1)) / (DAY_S * 1_000);
}

function daysInMonth(year: number, month: number): number {
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && isLeapYear ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}

function clockSeconds(hours = '', minutes = '', seconds: string): number | null {
  const parts = [Number(hours), Number(minutes), Number(seconds)] as const;
  return parts[0] > 23 || parts[1] > 59 || parts[2] > 59 ? null : parts[0] * 3_600 + parts[1] * 60 + parts[2];
}

function microsecondsOf(fraction: string, rounded: 'up' | 'down'): number {
  const hasRest = /[1-9]/.test(fraction.slice(6));
  return Number(fraction.slice(0, 6).padEnd(6, '0')) + (hasRest && rounded === 'up' ? 1 : 0);
}
