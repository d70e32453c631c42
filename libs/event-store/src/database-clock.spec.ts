import { DatabaseClock } from './database-clock.js';

const MIDNIGHT_MS = Date.parse('2026-01-31T00:00:00.000Z');

/** Adds a reading at `atMs` of a clock that showed midnight at `performance.now()` 0; each direction takes `latencyMs`. */
function read(clock: DatabaseClock, atMs: number, latencyMs: number, setByMs = 0): void {
  clock.addReading(MIDNIGHT_MS + setByMs + atMs, atMs - latencyMs, atMs + latencyMs);
}

const latenessMs = (clock: DatabaseClock, atMs: number) =>
  Date.parse(clock.toDatabaseTime(atMs, 1_000)) - (MIDNIGHT_MS + atMs);

describe('DatabaseClock', () => {
  it('given readings with high and low latency, when a time is converted, then it is never late and uses the best reading', () => {
    const clock = new DatabaseClock();
    read(clock, 500, 400);
    expect(latenessMs(clock, 5_000)).toBeLessThanOrEqual(0);
    read(clock, 900, 2);
    expect(latenessMs(clock, 5_000)).toBeGreaterThanOrEqual(-4);
    read(clock, 990, 300);
    expect(latenessMs(clock, 5_000)).toBeGreaterThanOrEqual(-4);
    expect(latenessMs(clock, 5_000)).toBeLessThanOrEqual(0);
  });

  it('given a clock that is set forward or back, when it is read again, then converted times follow it', () => {
    const clock = new DatabaseClock();
    read(clock, 900, 2);
    read(clock, 950, 2, 60_000);
    expect(latenessMs(clock, 5_000)).toBeGreaterThan(59_990);
    read(clock, 990, 2, -60_000);
    expect(latenessMs(clock, 5_000)).toBeLessThanOrEqual(-60_000);
  });

  it('given a clock without a recent reading, when it is checked, then it is stale', () => {
    const clock = new DatabaseClock();
    expect(clock.isStale(1_000)).toBe(true);
    read(clock, 990, 2);
    expect(clock.isStale(1_000)).toBe(false);
    expect(clock.isStale(100_000)).toBe(true);
  });

  it('given a reading, when a time is converted, then it has 24 characters', () => {
    const clock = new DatabaseClock();
    read(clock, 990, 2);
    expect(clock.toDatabaseTime(1_000, 1_000)).toHaveLength(24);
  });
});
