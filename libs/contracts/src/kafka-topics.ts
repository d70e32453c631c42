import { TOPICS } from './topics.js';

/** Properties of a topic, on a Kafka cluster and for the transport. */
export interface KafkaTopic {
  readonly name: string;
  /** The kind of its records: requests and their replies are sent in common batches. */
  readonly carries: 'requests' | 'replies' | 'events' | 'dead letters';
  /**
   * A request that was refused is committed before the refusal is sent, so that the next owner of its partition cannot
   * begin it. Absent: a repetition does no harm.
   */
  readonly commitsRefusals?: true;
  /** Never changed afterwards: keys would move to other partitions. */
  readonly partitions: number;
  /** Records older than this are removed; null: never for their age. */
  readonly keptMs: number | null;
  /** Only the newest record of each key is kept, and none once that is empty. */
  readonly isCompacted: boolean;
  /** How brokers store its records; gzip is what every client reads, kafkajs too. Absent: as they are. */
  readonly compression?: 'gzip';
  readonly key: string;
  readonly holds: string;
  /** Personal data in its records; absent: none, users are ids. */
  readonly personalData?: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** More instances of a service than this find no share of its requests. */
const SHARES = 12;

/** Requests live for seconds, and hold notes and addresses. */
const requests = { carries: 'requests', partitions: SHARES, keptMs: HOUR_MS, isCompacted: false } as const;

/** Every topic of a Kafka cluster; nothing else makes one. */
export const KAFKA_TOPICS = {
  paymentsCommands: {
    ...requests,
    commitsRefusals: true,
    name: TOPICS.paymentsCommands,
    key: 'the acting user, or the owner of the wallet',
    holds: 'Requests that move money. Who reads a partition owns its wallets.',
    personalData: 'notes, addresses of payees',
  },
  paymentsQueries: {
    ...requests,
    name: TOPICS.paymentsQueries,
    key: 'the asking user',
    holds: 'Requests that read payments.',
  },
  usersRequests: {
    ...requests,
    name: TOPICS.usersRequests,
    key: 'the asking user',
    holds: 'Requests to users-service.',
    personalData: 'names, usernames, addresses',
  },
  authRequests: {
    ...requests,
    name: TOPICS.authRequests,
    key: "the token's hash, or the user",
    holds: 'Requests to auth-service. Never a token.',
  },
  replies: {
    name: 'replies',
    carries: 'replies',
    partitions: 64,
    keptMs: 10 * MINUTE_MS,
    isCompacted: false,
    key: 'none; each requesting instance reads a partition of its own',
    holds: 'Responses to all requests.',
    personalData: 'names, addresses, notes',
  },
  usersState: {
    name: TOPICS.usersState,
    carries: 'events',
    partitions: SHARES,
    keptMs: null,
    isCompacted: true,
    key: '`user:<id>` or `pair:<id>:<id>`',
    holds: 'The complete current state of a user or a pair of users. An empty record removes it.',
    personalData: 'names, usernames, addresses, pictures',
  },
  authRevocations: {
    name: TOPICS.authRevocations,
    carries: 'events',
    partitions: 1,
    keptMs: HOUR_MS,
    isCompacted: false,
    key: 'none',
    holds: 'Tokens that are refused from now on, and a heartbeat. Every gateway reads all of it.',
  },
  paymentsEvents: {
    name: TOPICS.paymentsEvents,
    carries: 'events',
    partitions: SHARES,
    keptMs: null,
    isCompacted: false,
    compression: 'gzip',
    key: 'the payment',
    holds: 'What became of every payment: the [public events](events/README.md), in order per payment.',
  },
  ledgerEntries: {
    name: TOPICS.ledgerEntries,
    carries: 'events',
    partitions: SHARES,
    keptMs: null,
    isCompacted: false,
    compression: 'gzip',
    key: '`wallet:<user>`, `payment:<id>` or `withdrawal:<id>`',
    holds: 'Every movement of money, from one account to another: the [journal](events/ledger-entries.md).',
  },
  usersLifecycle: {
    name: TOPICS.usersLifecycle,
    carries: 'events',
    partitions: SHARES,
    keptMs: null,
    isCompacted: false,
    compression: 'gzip',
    key: 'the user',
    holds: 'Who joined, was frozen, thawed and closed: the [lifecycle of users](events/user-lifecycle.md), ids only.',
  },
  ledgerWatermarks: {
    name: TOPICS.ledgerWatermarks,
    carries: 'events',
    partitions: 1,
    keptMs: HOUR_MS,
    isCompacted: false,
    compression: 'gzip',
    key: 'always the same',
    holds:
      'Once a second, how far each partition of the public topics is filled: the [watermarks](events/watermarks.md).',
  },
  deadLetters: {
    name: 'dead-letters',
    carries: 'dead letters',
    partitions: 1,
    keptMs: 14 * DAY_MS,
    isCompacted: false,
    key: 'as it came',
    holds:
      'Records that could not be processed, unchanged; headers `dead-letter-*` contain their origin and the error. Of one that is too large there are these alone.',
    personalData: 'that of the record',
  },
} as const satisfies Record<string, KafkaTopic>;
