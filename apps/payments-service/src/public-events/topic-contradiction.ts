import type { EventStore } from '@settle/event-store';
import type { ReadRecord } from '@settle/messaging';
import { holdsEvent } from '../storage/holds-event.js';
import { paymentStream } from '../storage/streams.js';
import { FIRST_EPOCH } from './public-event-epoch.js';

/** A published event that the ledger does not have: the ledger has lost it, or is a different one. */
export interface TopicContradiction {
  readonly eventId: string;
  readonly paymentId: string;
  /** Log position of the event when it was published. */
  readonly position: number;
}

/** Returns the epoch of a record. */
export function epochOf({ headers }: Pick<ReadRecord, 'headers'>): number {
  const epoch = Number(headers['epoch']);
  return Number.isSafeInteger(epoch) ? epoch : FIRST_EPOCH;
}

/** Returns the highest epoch of records; 0 if there are none. */
export function newestEpoch(records: readonly ReadRecord[]): number {
  return Math.max(0, ...records.map(epochOf));
}

/**
 * Compares the newest record of each partition with the ledger. Events are published after they are stored, so a record
 * without an event was lost by a restore or a failover, or belongs to a different ledger.
 * @returns the contradiction at the highest position; null if the ledger has all of them
 */
export async function findContradiction(
  store: Pick<EventStore, 'readStream'>,
  records: readonly ReadRecord[],
): Promise<TopicContradiction | null> {
  const epoch = newestEpoch(records);
  const events = records.filter((record) => epochOf(record) === epoch).flatMap((record) => eventOf(record) ?? []);
  for (const { revision, ...event } of events.toSorted((one, other) => other.position - one.position)) {
    const published = { stream: paymentStream(event.paymentId), revision, id: event.eventId };
    if (!(await holdsEvent(store, published))) return event;
  }
  return null;
}

/** Null if the record is not a payment event. */
function eventOf({ key, headers }: ReadRecord): (TopicContradiction & { readonly revision: number }) | null {
  const [position, revision] = [Number(headers['position']), Number(headers['revision'])];
  const eventId = headers['event-id'];
  if (eventId === undefined || !/^\d{1,19}$/.test(key)) return null;
  if (!Number.isSafeInteger(position) || !Number.isSafeInteger(revision) || revision < 0) return null;
  return { eventId, paymentId: key, position, revision };
}
