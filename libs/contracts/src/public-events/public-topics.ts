import { KAFKA_TOPICS, type KafkaTopic } from '../kafka-topics.js';
import { LEDGER_ENTRY_TYPES } from './ledger-entry-table.js';
import {
  LEDGER_ENTRY_PATTERN,
  PUBLIC_EVENT_HEADERS,
  PUBLIC_EVENT_PATTERN,
  USER_LIFECYCLE_PATTERN,
  WATERMARK_HEADERS,
  WATERMARK_PATTERN,
  type Header,
} from './public-event-headers.js';
import { PUBLIC_EVENT_TYPES, type PublicEventType } from './public-event-table.js';
import { LEDGER_WATERMARK_TYPES } from './watermark-table.js';
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
  readonly headers: Readonly<Record<string, Header>>;
  readonly types: readonly PublicEventType[];
  /** Name of a record with the fields of all types, where one schema describes the topic. */
  readonly recordName: string;
  /** The release that added it. */
  readonly since: string;
  /** A drawing in mermaid for its catalogue page. */
  readonly drawing: readonly string[];
  /** The head of the table of its types in `docs/events/README.md`. */
  readonly tableHead: string;
}

const PAYMENT_DRAWING = [
  'stateDiagram-v2',
  '    [*] --> pending: PaymentCreated',
  '    pending --> settled: PaymentSettled',
  '    pending --> failed: PaymentFailed',
  '    pending --> expired: PaymentExpired',
  '    pending --> cancelled: PaymentCancelled',
  '    settled --> [*]',
  '    failed --> [*]',
  '    expired --> [*]',
  '    cancelled --> [*]',
];
const ACCOUNTS_DRAWING = [
  'flowchart LR',
  '    funding["funding:user"] -->|deposit, funding_charge, repayment_return, reversal_return| payer["wallet:user"]',
  '    payer -->|repayment, reversal| funding',
  '    payer -->|payment_debit| transit["transit:payment"]',
  '    transit -->|payment_credit| payee["wallet of the payee"]',
  '    transit -->|payment_return| payer',
  '    transit -->|fee| fees',
  '    payer -->|withdrawal| payouts["payouts:withdrawal"]',
  '    payouts -->|withdrawal_return| payer',
  '    payouts -->|payout| funding',
];
const USER_DRAWING = [
  'stateDiagram-v2',
  '    [*] --> active: UserJoined',
  '    active --> frozen: UserFrozen',
  '    frozen --> active: UserThawed',
  '    active --> closed: UserClosed',
  '    frozen --> closed: UserClosed',
  '    closed --> [*]',
];
const WATERMARK_DRAWING = [
  'sequenceDiagram',
  '    participant Publisher',
  '    participant Topics as public topics',
  '    participant Watermarks as ledger.watermarks.v1',
  '    loop once a second',
  '        Publisher->>Topics: which offset is next in each partition?',
  '        Publisher->>Watermarks: position that all replicas have, and those offsets',
  '    end',
];

/** Every topic for other systems. */
export const PUBLIC_TOPICS: readonly PublicTopic[] = [
  {
    topic: KAFKA_TOPICS.paymentsEvents,
    channel: 'paymentEvents',
    operation: 'publishPaymentEvents',
    summary: 'The payments service tells what became of payments.',
    keyMeaning: 'The id of the payment.',
    pattern: PUBLIC_EVENT_PATTERN,
    headers: PUBLIC_EVENT_HEADERS,
    recordName: 'PaymentEvent',
    since: '0.1.0',
    drawing: PAYMENT_DRAWING,
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
    headers: PUBLIC_EVENT_HEADERS,
    recordName: 'LedgerEntry',
    since: '0.2.0',
    drawing: ACCOUNTS_DRAWING,
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
    headers: PUBLIC_EVENT_HEADERS,
    recordName: 'UserEvent',
    since: '0.2.0',
    drawing: USER_DRAWING,
    types: USER_LIFECYCLE_TYPES,
    tableHead: '| Change | When |',
  },
  {
    topic: KAFKA_TOPICS.ledgerWatermarks,
    channel: 'ledgerWatermarks',
    operation: 'publishLedgerWatermarks',
    summary: 'The payments service publishes once a second how far the public topics are filled.',
    keyMeaning: 'Always the same.',
    pattern: WATERMARK_PATTERN,
    headers: WATERMARK_HEADERS,
    recordName: 'LedgerWatermark',
    since: '0.2.0',
    drawing: WATERMARK_DRAWING,
    types: LEDGER_WATERMARK_TYPES,
    tableHead: '| Watermark | When |',
  },
];

/** Every type of record on a public topic. */
export const PUBLISHED_TYPES: readonly PublicEventType[] = PUBLIC_TOPICS.flatMap(({ types }) => types);
