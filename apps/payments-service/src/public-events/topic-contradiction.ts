import type { EventStore } from '@settle/event-store';
import type { ReadRecord } from '@settle/messaging';
import { holdsEvent } from '../storage/holds-event.js';
import { paymentStream } from '../storage/streams.js';
import { FIRST_EPOCH } from './public-event-epoch.js';

/** A published event that the ledger does not hold: the ledger has lost it, or is another one. */
export interface TopicContradiction {
  readonly eventId: string;
  readonly paymentId: string;
  /** Where the event stood in the ledger when it was published. */
  readonly position: number;
}

/** Returns the epoch that a record was published under. */
export function epochOf({ headers }: Pick<ReadRecord, 'headers'>): number {
  const epoch = Number(headers['epoch']);
  return Number.isSafeInteger(epoch) ? epoch : FIRST_EPOCH;
}

/** Returns the highest epoch among records; 0 when there is none. */
export function newestEpoch(records: readonly ReadRecord[]): number {
  return Math.max(0, ...records.map(epochOf));
}

/**
 * Compares the newest record of each partition with the ledger. Every published event stands in the ledger, since it is
 * published after it was stored, so one that does not was lost by a restore or a failover, or belongs to another ledger.
 * @returns that of the highest position, or null when the ledger holds them all
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

/** Null: the record is no payment event. */
function eventOf({ key, headers }: ReadRecord): (TopicContradiction & { readonly revision: number }) | null {
  const [position, revision] = [Number(headers['position']), Number(headers['revision'])];
  const eventId = headers['event-id'];
  if (eventId === undefined || !/^\d{1,19}$/.test(key)) return null;
  if (!Number.isSafeInteger(position) || !Number.isSafeInteger(revision) || revision < 0) return null;
  return { eventId, paymentId: key, position, revision };
}
