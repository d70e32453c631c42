export interface Header {
  readonly meaning: string;
  readonly example: string;
  /** The pattern of its text. */
  readonly pattern?: string;
  /** Some records do not have it: those from before it was added, and those for which there is no value. */
  readonly isOptional?: true;
}

/** Headers of a record of a public topic, beside the JSON in its value; the examples are of `payments.events.v1`. */
export const PUBLIC_EVENT_HEADERS = {
  'event-id': {
    meaning: 'As `eventId`: the same whenever the event is delivered again.',
    example: '6f0c3f3a-52cf-5d0c-9f0e-6f2f3d9c8a11',
  },
  type: { meaning: 'As `type`: what happened, to choose by without reading the value.', example: 'PaymentCreated' },
  revision: { meaning: "As `revision`: the event's place among those of its payment, from 0.", example: '0' },
  position: {
    meaning:
      'Where it stands among all events of the ledger, with gaps: sorted by it, everything is in the order of its making.',
    example: '48213',
  },
  epoch: {
    meaning:
      'A whole number from 1, 1 where it is missing: after a restore of the ledger the topic is emptied and filled again ' +
      'under a higher one. See *Epochs*.',
    example: '1',
    pattern: '^[1-9][0-9]{0,9}$',
    isOptional: true,
  },
  'schema-version': { meaning: 'As `schemaVersion`: which schema the value follows.', example: '1' },
  time: { meaning: 'As `occurredAt`.', example: '2026-11-21T09:30:00.250000Z' },
  traceparent: {
    meaning:
      'W3C Trace Context. All events of a payment share the trace id: that of the request that made the payment where its trace ' +
      'is kept, otherwise the id of its command. Missing where that id is no UUID.',
    example: '00-3f2b8c1e9d4a4f6b8a7c5e2d1f0b9a88-6f0c3f3a52cf5d0c-00',
    isOptional: true,
  },
  ce_specversion: {
    meaning:
      'The version of [CloudEvents](https://cloudevents.io), whose attributes the headers `ce_` are. Always the same.',
    example: '1.0',
    isOptional: true,
  },
  ce_id: {
    meaning: 'As `event-id`; unique together with `ce_source`.',
    example: '6f0c3f3a-52cf-5d0c-9f0e-6f2f3d9c8a11',
    isOptional: true,
  },
  ce_source: { meaning: 'The topic, as a URN.', example: 'urn:settle:topic:payments.events.v1', isOptional: true },
  ce_type: {
    meaning: 'As `type`, with its version.',
    example: 'settle.PaymentCreated.v1',
    isOptional: true,
  },
  ce_subject: { meaning: 'The key of the record.', example: '2235351801266466090', isOptional: true },
  ce_time: { meaning: 'As `time`.', example: '2026-11-21T09:30:00.250000Z', isOptional: true },
  ce_dataschema: {
    meaning: 'The `$id` of the JSON Schema of the value.',
    example: 'urn:settle:event:PaymentCreated:1',
    isOptional: true,
  },
  'content-type': { meaning: 'Always the same.', example: 'application/json' },
  pattern: { meaning: "Always the same; this system's own routing.", example: 'payments.event' },
} as const satisfies Readonly<Record<string, Header>>;

/** Headers of a record of `ledger.watermarks.v1`. */
export const WATERMARK_HEADERS = {
  type: { meaning: 'Always the same.', example: 'LedgerWatermark' },
  time: { meaning: 'As `time`: when the record was written.', example: '2026-11-21T09:30:00.250000Z' },
  'content-type': PUBLIC_EVENT_HEADERS['content-type'],
  pattern: { ...PUBLIC_EVENT_HEADERS.pattern, example: 'ledger.watermark' },
} as const satisfies Readonly<Record<string, Header>>;

/** The pattern under which watermarks go over the bus. */
export const WATERMARK_PATTERN = WATERMARK_HEADERS.pattern.example;

/** The pattern under which public events go over the bus. */
export const PUBLIC_EVENT_PATTERN = PUBLIC_EVENT_HEADERS.pattern.example;

/** The pattern under which the lifecycle of users goes over the bus. */
export const USER_LIFECYCLE_PATTERN = 'users.lifecycle';

/** The pattern under which entries of the journal go over the bus. */
export const LEDGER_ENTRY_PATTERN = 'ledger.entry';
