/** Formats a time for pages: UTC, to the minute. */
export function formatMinute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
