/** Returns a time as pages show it: UTC, to the minute. */
export function minuteOf(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
