import { DatabaseClock } from './database-clock.js';

const MIDNIGHT_MS = Date.parse('2026-01-31T00:00:00.000Z');

/** A clock that stood at midnight at `performance.now()` 0, read after so many milliseconds of which the way took some. */
function read(clock: DatabaseClock, atMs: number, wayMs: number, setByMs = 0): void {
  clock.addReading(MIDNIGHT_MS + setByMs + atMs, atMs - wayMs, atMs + wayMs);
}

const lateMs = (clock: DatabaseClock, atMs: number) =>
  Date.parse(clock.toDatabaseTime(atMs, 1_000)) - (MIDNIGHT_MS + atMs);

describe('the clock of the database', () => {
  it('given readings with long and short ways, when a moment is asked for, then it is never late and the best holds', () => {
    const clock = new DatabaseClock();
    read(clock, 500, 400);
    expect(lateMs(clock, 5_000)).toBeLessThanOrEqual(0);
    read(clock, 900, 2);
    expect(lateMs(clock, 5_000)).toBeGreaterThanOrEqual(-4);
    read(clock, 990, 300);
    expect(lateMs(clock, 5_000)).toBeGreaterThanOrEqual(-4);
    expect(lateMs(clock, 5_000)).toBeLessThanOrEqual(0);
  });

  it('given a clock that is set, when it is read again, then moments follow it forwards and back', () => {
    const clock = new DatabaseClock();
    read(clock, 900, 2);
    read(clock, 950, 2, 60_000);
    expect(lateMs(clock, 5_000)).toBeGreaterThan(59_990);
    read(clock, 990, 2, -60_000);
    expect(lateMs(clock, 5_000)).toBeLessThanOrEqual(-60_000);
  });

  it('given a clock that was read long ago or never, when it is asked, then it is stale', () => {
    const clock = new DatabaseClock();
    expect(clock.isStale(1_000)).toBe(true);
    read(clock, 990, 2);
    expect(clock.isStale(1_000)).toBe(false);
    expect(clock.isStale(100_000)).toBe(true);
  });

  it('given any moment, when it is written, then it has 24 characters', () => {
    const clock = new DatabaseClock();
    read(clock, 990, 2);
    expect(clock.toDatabaseTime(1_000, 1_000)).toHaveLength(24);
  });
});
