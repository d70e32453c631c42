import { NO_STREAM, type AppendUnit, type StreamAppend } from './event-store.js';

const NAME = /^[\x21-\x7e]{1,200}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Refuses what no writer may send, whatever the adapter: an empty unit, names that are not 1 to 200 printable ASCII
 * characters, ids that are not UUIDs in lower case. Errors: TypeError, a bug of the caller.
 */
export function validateUnit(unit: AppendUnit): void {
  if (unit.length === 0) throw new TypeError('A unit holds at least one append');
  for (const { stream, expectedRevision, events } of unit) {
    if (!NAME.test(stream)) throw new TypeError('A stream name is 1 to 200 printable ASCII characters');
    if (!Number.isSafeInteger(expectedRevision) || expectedRevision < NO_STREAM) {
      throw new TypeError(`Stream ${stream} cannot be expected at revision ${expectedRevision}`);
    }
    if (events.length === 0) throw new TypeError(`An append to ${stream} holds no event`);
    for (const { id, type } of events) {
      if (!NAME.test(type)) throw new TypeError('An event type is 1 to 200 printable ASCII characters');
      if (!UUID.test(id)) throw new TypeError(`The id of a ${type} is not a UUID in lower case`);
    }
  }
}

/** The stream's newest revision once `append` is stored. */
export function computeRevisionAfter(append: StreamAppend): number {
  return append.expectedRevision + append.events.length;
}

/** Whether the unit is the first to write to the stream. */
export function createsStream(unit: AppendUnit, stream: string): boolean {
  return unit.some((append) => append.expectedRevision === NO_STREAM && append.stream === stream);
}

/** What an earlier append of the same unit leaves as the stream's newest revision; null when none names the stream. */
export function findRevisionWithinUnit(unit: AppendUnit, index: number): number | null {
  const stream = unit[index]?.stream;
  for (let earlier = index - 1; earlier >= 0; earlier -= 1) {
    const append = unit[earlier];
    if (append?.stream === stream && append !== undefined) return computeRevisionAfter(append);
  }
  return null;
}
