import { KAFKA_TOPICS, type KafkaTopic } from '../kafka-topics.js';
import { LEDGER_ENTRY_TYPES } from './ledger-entry-table.js';
import { LEDGER_ENTRY_PATTERN, PUBLIC_EVENT_PATTERN, USER_LIFECYCLE_PATTERN } from './public-event-headers.js';
import { PUBLIC_EVENT_TYPES, type PublicEventType } from './public-event-table.js';
import { USER_LIFECYCLE_TYPES } from './user-lifecycle-table.js';

/** A topic for other systems, as its documents describe it. */
export interface PublicTopic {
  readonly topic: KafkaTopic;
  /** Its name in AsyncAPI, and that of the operation that sends to it. */
  readonly channel: string;
  readonly operation: string;
  readonly summary: string;
  /** The key of a record, in a sentence. */
  readonly keyMeaning: string;
  /** The header `pattern` of its records. */
  readonly pattern: string;
  readonly types: readonly PublicEventType[];
  /** The head of the table of its types in `docs/events/README.md`. */
  readonly tableHead: string;
}

/** Every topic for other systems. */
export const PUBLIC_TOPICS: readonly PublicTopic[] = [
  {
    topic: KAFKA_TOPICS.paymentsEvents,
    channel: 'paymentEvents',
    operation: 'publishPaymentEvents',
    summary: 'The payments service tells what became of payments.',
    keyMeaning: 'The id of the payment.',
    pattern: PUBLIC_EVENT_PATTERN,
    types: PUBLIC_EVENT_TYPES,
    tableHead: '| Event | When |',
  },
  {
    topic: KAFKA_TOPICS.ledgerEntries,
    channel: 'ledgerEntries',
    operation: 'publishLedgerEntries',
    summary: 'The payments service publishes every movement of money.',
    keyMeaning: '`wallet:<user>`, `payment:<id>` or `withdrawal:<id>`: whose event moved the money.',
    pattern: LEDGER_ENTRY_PATTERN,
    types: LEDGER_ENTRY_TYPES,
    tableHead: '| Entry | When |',
  },
  {
    topic: KAFKA_TOPICS.usersLifecycle,
    channel: 'usersLifecycle',
    operation: 'publishUsersLifecycle',
    summary: 'The payments service publishes who joined, was frozen, thawed and closed.',
    keyMeaning: 'The id of the user.',
    pattern: USER_LIFECYCLE_PATTERN,
    types: USER_LIFECYCLE_TYPES,
    tableHead: '| Change | When |',
  },
];

/** Every type of record on a public topic. */
export const PUBLISHED_TYPES: readonly PublicEventType[] = PUBLIC_TOPICS.flatMap(({ types }) => types);
