/** Clocks of two machines drift apart by at most this part of the time that passes. */
const MAX_DRIFT = 0.001;
/** A clock that was not read for so long is read again before it is relied on: it may have been set. */
const STALE_AFTER_MS = 60_000;

/** The database's clock in milliseconds since 1970, to be read beside `sentAtMs` and `receivedAtMs`. */
export const CLOCK_READING = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/**
 * What is known of the database's clock against `performance.now()`. A reading was taken somewhere between its request
 * and its answer, so it gives two bounds of the difference. The lower one is used: a deadline may come too early for
 * the server, never too late.
 */
export class DatabaseClock {
  #minOffsetMs: number | null = null;
  #measuredAtMs = 0;
  #confirmedAtMs = -Infinity;

  isStale(nowMs: number): boolean {
    return this.#minOffsetMs === null || nowMs - this.#confirmedAtMs > STALE_AFTER_MS;
  }

  /** Takes a reading in. The closest lower bound stays, unless the reading shows that the clock was set back. */
  addReading(readingMs: number, sentAtMs: number, receivedAtMs: number): void {
    this.#confirmedAtMs = receivedAtMs;
    const known = this.#estimateMinOffset(receivedAtMs);
    const atLeast = readingMs - receivedAtMs;
    // A reading is cut to whole milliseconds.
    const atMost = readingMs + 1 - sentAtMs;
    if (known !== null && known >= atLeast && known <= atMost) return;
    this.#minOffsetMs = atLeast;
    this.#measuredAtMs = receivedAtMs;
  }

  /** What was learned does not hold any more. */
  reset(): void {
    this.#minOffsetMs = null;
  }

  /** A moment of `performance.now()`, or a little before it, as the database's clock shows it: 24 characters. Learn first. */
  toDatabaseTime(atMs: number, nowMs: number): string {
    const aheadMs = this.#estimateMinOffset(nowMs);
    if (aheadMs === null) throw new Error('The clock of the database was never read');
    return new Date(Math.floor(atMs + aheadMs)).toISOString();
  }

  #estimateMinOffset(nowMs: number): number | null {
    return this.#minOffsetMs === null ? null : this.#minOffsetMs - (nowMs - this.#measuredAtMs) * MAX_DRIFT;
  }
}
