/** The largest drift between the clocks of two machines, relative to the elapsed time. */
const MAX_DRIFT = 0.001;
/** After this time without a reading, the clock must be read again, because it may have been set. */
const STALE_AFTER_MS = 60_000;

/** SQL for the clock of the database in milliseconds since 1970. */
export const CLOCK_READING = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/**
 * Estimates the offset of the clock of the database from `performance.now()`. A reading is taken between its request and
 * its response, so it yields two bounds of the offset. The lower one is used: a deadline may be too early for the server,
 * but never too late.
 */
export class DatabaseClock {
  #minOffsetMs: number | null = null;
  #measuredAtMs = 0;
  #confirmedAtMs = -Infinity;

  isStale(nowMs: number): boolean {
    return this.#minOffsetMs === null || nowMs - this.#confirmedAtMs > STALE_AFTER_MS;
  }

  /** Adds a reading. The best lower bound stays, unless the reading contradicts it because the clock was set. */
  addReading(readingMs: number, sentAtMs: number, receivedAtMs: number): void {
    this.#confirmedAtMs = receivedAtMs;
    const current = this.#estimateMinOffset(receivedAtMs);
    const atLeast = readingMs - receivedAtMs;
    // A reading is truncated to milliseconds.
    const atMost = readingMs + 1 - sentAtMs;
    if (current !== null && current >= atLeast && current <= atMost) return;
    this.#minOffsetMs = atLeast;
    this.#measuredAtMs = receivedAtMs;
  }

  /** Discards all readings. */
  reset(): void {
    this.#minOffsetMs = null;
  }

  /**
   * Converts a time of `performance.now()` to the clock of the database, or to a slightly earlier time: 24 characters.
   * Error: there is no reading.
   */
  toDatabaseTime(atMs: number, nowMs: number): string {
    const minOffsetMs = this.#estimateMinOffset(nowMs);
    if (minOffsetMs === null) throw new Error('There is no reading of the database clock');
    return new Date(Math.floor(atMs + minOffsetMs)).toISOString();
  }

  #estimateMinOffset(nowMs: number): number | null {
    return this.#minOffsetMs === null ? null : this.#minOffsetMs - (nowMs - this.#measuredAtMs) * MAX_DRIFT;
  }
}
