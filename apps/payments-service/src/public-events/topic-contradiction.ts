import type { EventStore } from '@settle/event-store';
import type { ReadRecord, TopicContents } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { holdsEvent } from '../storage/holds-event.js';
import { FIRST_EPOCH, isRaised, readPublicEventEpoch } from './public-event-epoch.js';
import type { PublishedTopic } from './published-topics.js';

export interface TopicCheckParts {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly pool: Pool;
  readonly published: PublishedTopic;
  readonly contents: Pick<TopicContents, 'newest'>;
  readonly logger: Logger;
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
 * @returns whether the topic has an event that the ledger does not have; the one at the highest position is logged
 */
export async function isTopicAhead({ store, pool, published, contents, logger }: TopicCheckParts): Promise<boolean> {
  const { topic, streamOf } = published;
  const newest = await contents.newest();
  // Read after the topic: a publisher that fills it under a raised epoch stores that before its first record.
  if (isRaised(await readPublicEventEpoch(pool, topic))) return false;
  const epoch = newestEpoch(newest);
  const events = newest.filter((record) => epochOf(record) === epoch).flatMap((record) => eventIn(record, streamOf));
  for (const { revision, stream, ...event } of events.toSorted((one, other) => other.position - one.position)) {
    if (await holdsEvent(store, { stream, revision, id: event.eventId })) continue;
    logger.error(
      event,
      `the topic ${topic} holds an event that the ledger does not have: the ledger was restored, lost ` +
        'its newest events, or is another one; it is not filled until the command "ledger -- republish" ' +
        'has marked it to be emptied and filled again',
    );
    return true;
  }
  return false;
}

/** Returns the event of a record with its log position when it was published; none if the record is not of the topic. */
function eventIn({ key, headers }: ReadRecord, streamOf: PublishedTopic['streamOf']) {
  const [position, revision] = [Number(headers['position']), Number(headers['revision'])];
  const eventId = headers['event-id'];
  const stream = streamOf(key);
  if (eventId === undefined || stream === null) return [];
  if (!Number.isSafeInteger(position) || !Number.isSafeInteger(revision) || revision < 0) return [];
  return [{ eventId, key, stream, position, revision }];
}
