import { NO_STREAM, type AppendUnit, type StoredEvent, type StreamAppend } from './event-store.js';

const NAME = /^[\x21-\x7e]{1,250}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Checks the rules of all adapters: units are not empty, names have 1 to 250 printable ASCII characters, ids are
 * lowercase UUIDs, concurrent appends are to different streams. Error: `TypeError`, a bug of the caller.
 */
export function validateUnit(unit: AppendUnit): void {
  if (unit.length === 0) throw new TypeError('A unit must have at least one append');
  for (const { stream, expectedRevision, events } of unit) {
    if (!NAME.test(stream)) throw new TypeError('A stream name must have 1 to 250 printable ASCII characters');
    if (!Number.isSafeInteger(expectedRevision) || expectedRevision < NO_STREAM) {
      throw new TypeError(`${expectedRevision} is no valid expected revision for stream ${stream}`);
    }
    if (events.length === 0) throw new TypeError(`An append to ${stream} must have at least one event`);
    for (const { id, type } of events) {
      if (!NAME.test(type)) throw new TypeError('An event type must have 1 to 250 printable ASCII characters');
      if (!UUID.test(id)) throw new TypeError(`The id of a ${type} must be a lowercase UUID`);
    }
  }
  for (const group of groupConcurrent(unit)) {
    const streams = new Set(group.map(({ stream }) => stream));
    if (streams.size < group.length) throw new TypeError('Concurrent appends must be to different streams');
  }
}

/** Returns the appends of a unit in groups: each group follows the one before, and its appends may be stored in any order. */
export function groupConcurrent<Append extends StreamAppend>(unit: readonly Append[]): Append[][] {
  const groups: Append[][] = [];
  for (const append of unit) {
    const group = append.isConcurrent === true ? groups.at(-1) : undefined;
    if (group === undefined) groups.push([append]);
    else group.push(append);
  }
  return groups;
}

/** Returns the newest revision of the stream after `append`. */
export function computeRevisionAfter(append: StreamAppend): number {
  return append.expectedRevision + append.events.length;
}

/** Returns the events of appends as they are stored at consecutive positions from `first` on. */
export function buildStoredEvents(appends: readonly StreamAppend[], first: number): StoredEvent[] {
  const stored: StoredEvent[] = [];
  for (const { stream, expectedRevision, events } of appends) {
    let revision = expectedRevision;
    for (const { id, type, data } of events) {
      revision += 1;
      stored.push({ id, stream, revision, type, data, position: first + stored.length });
    }
  }
  return stored;
}

/** Returns whether the unit creates the stream. */
export function createsStream(unit: AppendUnit, stream: string): boolean {
  return unit.some((append) => append.expectedRevision === NO_STREAM && append.stream === stream);
}

/** Returns the newest revision of the stream after the earlier appends of the unit; null if none of them writes to it. */
export function findRevisionWithinUnit(unit: AppendUnit, index: number): number | null {
  const stream = unit[index]?.stream;
  for (let earlier = index - 1; earlier >= 0; earlier -= 1) {
    const append = unit[earlier];
    if (append?.stream === stream && append !== undefined) return computeRevisionAfter(append);
  }
  return null;
}
