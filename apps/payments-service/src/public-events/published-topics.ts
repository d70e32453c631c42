import { TOPICS } from '@settle/contracts';
import type { EventStore, StoredEvent } from '@settle/event-store';
import type { EventEnvelope } from '@settle/messaging';
import { readPaymentChanges } from '../storage/payment-changes.js';
import { JOURNAL_PREFIXES, PAYMENT_PREFIXES, USER_PREFIXES, paymentStream, userStream } from '../storage/streams.js';
import type { FilledTopic } from './public-event-epoch.js';
import { buildEntryRecord, readMovements, streamOfEntries } from './ledger-entry.js';
import { buildPublicRecord } from './public-event.js';
import { buildUserRecord } from './user-lifecycle.js';

/** A topic that is published from the event log. */
export interface PublishedTopic {
  readonly topic: FilledTopic;
  /** Its records come from events of streams whose names begin with one of these. */
  readonly streamPrefixes: readonly string[];
  /**
   * Builds the records of events, those of each key in order. Reads earlier events of their streams where needed.
   * @param epoch under which the topic is filled
   */
  readonly buildRecords: (
    store: Pick<EventStore, 'readStream'>,
    events: readonly StoredEvent[],
    epoch: number,
  ) => Promise<readonly EventEnvelope[][]>;
  /** Returns the stream of the events of a key; null if it is not a key of the topic. */
  readonly streamOf: (key: string) => string | null;
}

export const PAYMENT_EVENTS: PublishedTopic = {
  topic: TOPICS.paymentsEvents,
  streamPrefixes: PAYMENT_PREFIXES,
  buildRecords: async (store, events, epoch) => {
    const payments = await readPaymentChanges(store, events);
    return payments.map((changes) => changes.map((change) => buildPublicRecord(change, epoch)));
  },
  streamOf: (key) => (/^\d{1,19}$/.test(key) ? paymentStream(key) : null),
};

export const LEDGER_ENTRIES: PublishedTopic = {
  topic: TOPICS.ledgerEntries,
  streamPrefixes: JOURNAL_PREFIXES,
  buildRecords: async (store, events, epoch) => {
    const streams = await readMovements(store, events);
    return streams.map((movements) => movements.map((movement) => buildEntryRecord(movement, epoch)));
  },
  streamOf: streamOfEntries,
};

export const USERS_LIFECYCLE: PublishedTopic = {
  topic: TOPICS.usersLifecycle,
  streamPrefixes: USER_PREFIXES,
  buildRecords: (_store, events, epoch) => {
    const users = Map.groupBy(events, ({ stream }) => stream);
    return Promise.resolve([...users.values()].map((ofOne) => ofOne.map((stored) => buildUserRecord(stored, epoch))));
  },
  streamOf: (key) => (/^\d{1,19}$/.test(key) ? userStream(key) : null),
};

/** Every topic that is published from the event log. */
export const PUBLISHED_TOPICS: readonly PublishedTopic[] = [PAYMENT_EVENTS, LEDGER_ENTRIES, USERS_LIFECYCLE];
