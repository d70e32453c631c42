const US_PER_MS = 1_000;

/** Formats a time as operators read it: ISO 8601 in UTC, to the millisecond. @param atUs microseconds since 1970 */
export function isoTime(atUs: number): string {
  return new Date(atUs / US_PER_MS).toISOString();
}
