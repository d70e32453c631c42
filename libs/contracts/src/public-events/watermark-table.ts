import { TIME, type EventFields, type EventWith } from './public-event-fields.js';
import type { PublicEventType } from './public-event-table.js';

/** More than all public topics have. */
const MOST_PARTITIONS = 1_000;

const PARTITION = {
  topic: {
    description: 'The public topic, without a prefix.',
    type: 'string',
    pattern: '^[0-9A-Za-z._-]{1,100}$',
    privacy: 'technical',
    examples: ['ledger.entries.v1'],
  },
  partition: {
    description: 'The partition of the topic.',
    type: 'integer',
    minimum: 0,
    privacy: 'technical',
    examples: [0],
  },
  position: {
    description: 'Log position, as the header `position` of records: every record up to it is in the partition.',
    type: 'integer',
    minimum: 0,
    unit: 'log position',
    privacy: 'technical',
    examples: [48213],
  },
  offset: {
    description: 'Kafka offset: those records lie below it; the partition may have later ones there as well.',
    type: 'integer',
    minimum: 0,
    unit: 'Kafka offset',
    privacy: 'technical',
    examples: [1290],
  },
  epoch: {
    description: 'The epoch of those records.',
    type: 'integer',
    minimum: 1,
    privacy: 'technical',
    examples: [1],
  },
} as const satisfies EventFields;

const FIELDS = {
  type: {
    description: 'Always the same.',
    type: 'string',
    const: 'LedgerWatermark',
    privacy: 'technical',
    examples: ['LedgerWatermark'],
  },
  time: {
    ...TIME,
    description: 'When the record was written, in UTC, to the microsecond.',
    privacy: 'technical',
    examples: ['2026-11-21T09:30:00.250000Z'],
  },
  partitions: {
    description:
      'How far each partition of each public topic is filled; without those of a topic that cannot be filled.',
    type: 'array',
    maxItems: MOST_PARTITIONS,
    items: PARTITION,
    privacy: 'technical',
    examples: [
      [
        { topic: 'ledger.entries.v1', partition: 0, position: 48213, offset: 1290, epoch: 1 },
        { topic: 'ledger.entries.v1', partition: 1, position: 48213, offset: 1306, epoch: 1 },
      ],
    ],
  },
} as const satisfies EventFields;

/** A record of `ledger.watermarks.v1`. */
export type LedgerWatermark = EventWith<typeof FIELDS>;

/** The records of watermarks in every version that was ever released, as those of payment events. */
export const LEDGER_WATERMARK_TYPES: readonly PublicEventType[] = [
  {
    type: 'LedgerWatermark',
    version: 1,
    meaning: 'Once a second, also while nothing happens: how far every partition of the public topics is filled.',
    fields: FIELDS,
    example: {
      type: FIELDS.type.examples[0],
      time: FIELDS.time.examples[0],
      partitions: FIELDS.partitions.examples[0],
    },
  },
];
